"""Cisco's own SDK, unmodified and with its strict response checks on, as the independent judge of the lab."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from podwright.lab.intersight import signature
from tests.lab.intersight.conftest import KEY_ID, Bench
from tests.lab.intersight.test_vnic_templates import Site as VnicSite


def sdk(bench: Bench, key: Path, key_id: str = KEY_ID) -> Any:
    from intersight.authentication import get_api_client

    return get_api_client(key_id, api_secret_file=str(key), endpoint=f"http://{bench.side.http}")


@pytest.fixture
def api(bench: Bench) -> Any:
    return sdk(bench, bench.lab.secrets / "intersight-key")


def test_create_read_patch_filter_delete(bench: Bench, api: Any) -> None:
    from intersight.api.ntp_api import NtpApi
    from intersight.model.mo_tag import MoTag
    from intersight.model.ntp_policy import NtpPolicy
    from intersight.model.organization_organization_relationship import OrganizationOrganizationRelationship

    org = OrganizationOrganizationRelationship(
        class_id="mo.MoRef", object_type="organization.Organization", moid=bench.org
    )
    ntp = NtpApi(api)
    made = ntp.create_ntp_policy(
        NtpPolicy(
            name="site",
            organization=org,
            ntp_servers=["192.0.2.1"],
            timezone="Europe/Vienna",
            tags=[MoTag(key="k", value="v")],
        )
    )
    assert made.ntp_servers == ["192.0.2.1"]
    assert made.enabled is True
    assert made.organization.moid == bench.org
    patched = ntp.patch_ntp_policy(made.moid, NtpPolicy(ntp_servers=["192.0.2.2"]))
    assert (patched.ntp_servers, patched.timezone) == (["192.0.2.2"], "Europe/Vienna")
    found = ntp.get_ntp_policy_list(
        filter=f"Name eq 'site' and Organization.Moid eq '{bench.org}'", inlinecount="allpages"
    )
    assert (found.count, found.results[0].moid) == (1, made.moid)
    assert ntp.get_ntp_policy_list(filter="Tags/any(t:t/Key eq 'k' and t/Value eq 'v')").results[0].moid == made.moid
    ntp.delete_ntp_policy(made.moid)
    assert not ntp.get_ntp_policy_list().results


def test_inventory_decodes_under_strict_checks(bench: Bench, api: Any) -> None:
    from intersight.api import asset_api, compute_api, firmware_api, graphics_api, memory_api, processor_api

    compute = compute_api.ComputeApi(api)
    summaries = compute.get_compute_physical_summary_list().results
    assert {s.serial for s in summaries} == {"WZP00000021", "FCH00000011", "WZP00000001"}
    assert {s.source_object_type for s in summaries} == {"compute.RackUnit", "compute.Blade"}
    assert len(compute.get_compute_rack_unit_list().results) == 2
    assert compute.get_compute_blade_list().results[0].hardware_uuid == "00000000-0000-4000-8000-000000000011"
    assert len(compute.get_compute_server_setting_list().results) == 3
    assert {d.platform_type for d in asset_api.AssetApi(api).get_asset_device_registration_list().results} == {
        "CAI845A",
        "UCSC885",
        "UCSFIISM",
    }
    assert len(graphics_api.GraphicsApi(api).get_graphics_card_list().results) == 3
    assert len(memory_api.MemoryApi(api).get_memory_unit_list().results) == 8 + 2 + 1
    assert len(processor_api.ProcessorApi(api).get_processor_unit_list().results) == 6
    assert len(firmware_api.FirmwareApi(api).get_firmware_running_firmware_list().results) == 6


def test_every_creatable_type_reads_back_under_strict_checks(bench: Bench, api: Any) -> None:
    """Defaults that the lab fills in must be values that the SDK accepts for that type."""
    import importlib

    needs: dict[str, dict[str, Any]] = {
        "firmware.Policy": {"ModelBundleCombo": [{"ModelFamily": "UCSC-C225-M8", "BundleVersion": "4.3(6c)"}]},
        "vnic.VnicTemplate": VnicSite(bench).needed,
    }
    for name, kind in sorted(bench.side.service.schema.objects.items()):
        if "POST" not in kind.verbs or "Organization" not in kind.properties or name.startswith("workflow."):
            continue
        made = bench.client.create(kind.path, bench.named("sample", **needs.get(name, {})))
        space, _, short = name.partition(".")
        module = importlib.import_module(f"intersight.api.{space.lower()}_api")
        caller = getattr(module, f"{space.capitalize()}Api", None) or next(
            v for k, v in vars(module).items() if k.lower() == f"{space}api".lower()
        )
        snake = "".join(f"_{c.lower()}" if c.isupper() else c for c in short)
        read = getattr(caller(api), f"get_{space.lower()}{snake}_by_moid")(made["Moid"])
        assert read.name == "sample", name


def test_key_forms(bench: Bench, tmp_path: Path) -> None:
    from intersight.api.organization_api import OrganizationApi
    from intersight.exceptions import UnauthorizedException

    key = rsa.generate_private_key(65537, 2048)
    pem = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()
    file = tmp_path / "rsa.pem"
    file.write_text(pem)
    bench.side.more_keys["a/b/rsa"] = signature.public_of(pem)
    assert (
        OrganizationApi(sdk(bench, file, "a/b/rsa")).get_organization_organization_list().results[0].name == "default"
    )
    with pytest.raises(UnauthorizedException) as refusal:
        OrganizationApi(sdk(bench, file)).get_organization_organization_list()
    assert "iam_api_key_is_invalid" in refusal.value.body


def test_https_with_the_labs_ca(bench: Bench) -> None:
    import intersight
    from intersight.api.organization_api import OrganizationApi
    from intersight.signing import ALGORITHM_ECDSA_MODE_FIPS_186_3, HASH_SHA256, SCHEME_HS2019, HttpSigningConfiguration

    signing = HttpSigningConfiguration(
        key_id=KEY_ID,
        private_key_path=str(bench.lab.secrets / "intersight-key"),
        signing_scheme=SCHEME_HS2019,
        signing_algorithm=ALGORITHM_ECDSA_MODE_FIPS_186_3,
        hash_algorithm=HASH_SHA256,
        signed_headers=["(request-target)", "(created)", "(expires)", "host", "date", "digest", "content-type"],
        signature_max_validity=timedelta(minutes=2),
    )
    configuration = intersight.Configuration(host=bench.https, signing_info=signing, ssl_ca_cert=str(bench.lab.ca.path))
    api = intersight.ApiClient(configuration)
    api.set_default_header("Content-Type", "application/json")
    assert OrganizationApi(api).get_organization_organization_list().results[0].name == "default"
