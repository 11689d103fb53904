"""Management controllers: each part of the section becomes a policy of the servers that take it, and of no others."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from podwright.components.model import Cluster
from podwright.components.model.catalogue import SERVER_POLICIES
from podwright.components.model.management import ServerManagement
from podwright.components.providers.intersight.module import POLICIES
from tests.design import whole
from tests.design.compute.test_compute import _cluster, _failures

SECTION: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("management.yaml").read_text())


def with_section(stack: str, **change: Any) -> Cluster:
    said = ServerManagement.model_validate({**SECTION, **change})
    cluster = _cluster(stack)
    assert cluster.intersight
    return cluster.model_copy(update={"intersight": cluster.intersight.model_copy(update={"management": said})})


def types_of(cluster: Cluster, host: str) -> set[str]:
    (profile,) = (each for each in whole.compute(cluster).profiles if each.name == host)
    return {policy["object_type"] for policy in profile.spec["policies"]}


BOTH = {"iam.EndPointUserPolicy", "sol.Policy", "ipmioverlan.Policy", "snmp.Policy"}
RACK = {"ssh.Policy", "iam.LdapPolicy", "smtp.Policy", "deviceconnector.Policy"}


def test_a_blade_has_an_address_and_no_policy_that_its_platform_refuses() -> None:
    bare = types_of(_cluster("prod"), "cp-01")
    assert "access.Policy" in bare
    assert not {"ntp.Policy", "thermal.Policy"} & bare
    assert types_of(with_section("prod"), "cp-01") - bare == BOTH


def test_a_standalone_server_has_all_but_an_address() -> None:
    bare = types_of(_cluster("lab"), "cp-01")
    assert {"ntp.Policy", "thermal.Policy"} <= bare
    assert types_of(with_section("lab"), "cp-01") - bare == BOTH | RACK


@pytest.mark.parametrize("stack", ["lab", "prod"])
def test_every_object_passes_the_table_and_holds_no_password(stack: str) -> None:
    plan = whole.compute(with_section(stack))
    found = [line for each in plan.policies for line in _failures("Policy", each.spec("o"))]
    found += [line for each in plan.pools for line in _failures("Pool", each.spec("o"))]
    found += [line for each in plan.profiles for line in _failures("ServerProfile", each.spec)]
    assert found == []
    seen: set[str] = set()
    for each in (*plan.pools, *plan.policies):
        assert each.needs - {"readonly", "user", "admin"} <= seen, f"{each.name} stands before what it refers to"
        seen.add(each.name)


def test_secrets_are_named_with_their_number() -> None:
    policies = {each.object_type: each for each in whole.compute(with_section("lab")).policies}
    roles = {child.name: child for child in policies["iam.EndPointUserPolicy"].children}
    assert roles["deputy"].properties["Password"] == "{{secret:imc-deputy#2}}"
    assert roles["ops"].references["EndPointRole"] == ({"object_type": "iam.EndPointRole", "name": "readonly"},)
    (person,) = policies["snmp.Policy"].properties["SnmpUsers"]
    assert person["AuthPassword"] == "{{secret:imc-snmp-authentication#1}}"
    assert policies["iam.LdapPolicy"].properties["BaseProperties"]["Password"] == "{{secret:ldap-reader#1}}"


def test_ipmi_is_off_unless_somebody_switches_it_on() -> None:
    for said, enabled in ({}, False), ({"enabled": True, "key": "imc-ipmi"}, True):
        plan = whole.compute(with_section("lab", ipmi=said))
        (policy,) = (each for each in plan.policies if each.object_type == "ipmioverlan.Policy")
        assert policy.properties["Enabled"] is enabled


def test_a_rotated_password_is_handed_over_and_restarts_nothing() -> None:
    plan = whole.compute(with_section("lab"))
    rotated = {**SECTION["users"], "ops": {"password": "imc-ops", "generation": 2}}
    then = whole.compute(with_section("lab", users=rotated))
    digests = [{each.name: each.spec["digest"] for each in one.profiles} for one in (plan, then)]
    assert all(digests[0][name] != digests[1][name] for name in digests[0])
    assert plan.digests == then.digests


def test_interconnects_log_and_answer_snmp_where_the_section_has_them() -> None:
    def types(cluster: Cluster) -> set[str]:
        (domain,) = whole.compute(cluster).domains
        return {policy["object_type"] for policy in domain.spec["policies"]["B"]}

    assert types(with_section("prod")) - types(_cluster("prod")) == {"syslog.Policy", "snmp.Policy"}
    assert types(with_section("prod", interconnects=None)) == types(_cluster("prod"))


def test_uplinks_have_the_timers_and_the_link_check_of_their_domain() -> None:
    cluster = _cluster("prod")
    (name,) = cluster.domains
    other = cluster.domains[name].model_copy(update={"lacp": "fast", "udld": "aggressive"})
    plan = whole.compute(cluster.model_copy(update={"domains": {name: other}}))
    made = {each.object_type: each for each in plan.policies}
    uplinks = made["fabric.PortPolicy"].children[0].references
    assert uplinks["LinkAggregationPolicy"] == {"object_type": "fabric.LinkAggregationPolicy", "name": "prod-lacp-fast"}
    assert uplinks["LinkControlPolicy"] == made["fabric.LinkControlPolicy"].reference
    assert made["fabric.LinkAggregationPolicy"].properties["LacpRate"] == "fast"
    udld = made["fabric.LinkControlPolicy"]
    assert udld.properties == {"UdldSettings": {"AdminState": "Enabled", "Mode": "aggressive"}}
    assert _failures("Policy", udld.spec("o")) == []
    plain = {each.object_type for each in whole.compute(cluster).policies}
    assert "fabric.LinkControlPolicy" not in plain


def test_in_band_addresses_name_their_vlan() -> None:
    plan = whole.compute(with_section("prod", addresses={**SECTION["addresses"], "vlan": 30}))
    (access,) = (each for each in plan.policies if each.object_type == "access.Policy")
    assert access.properties["InbandVlan"] == 30
    assert access.properties["ConfigurationType"] == {"ConfigureInband": True, "ConfigureOutOfBand": False}
    assert access.references == {"InbandIpPool": {"object_type": "ippool.Pool", "name": "prod-management"}}


def test_platforms_are_given_for_policies_there_are() -> None:
    assert set(SERVER_POLICIES) <= set(POLICIES)
