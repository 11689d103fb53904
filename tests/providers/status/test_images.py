"""Pods whose node refuses their image, right after a try and while it backs off."""

import pytest

from tests.providers.status.test_diagnosis import _healthy, diagnose

_LISTED = "Source image rejected: Running image docker://ghcr.io/a:1 is rejected by policy."
_MISSING = "Source image rejected: A signature was required, but no signature exists"


@pytest.mark.parametrize(
    ("reason", "message", "sentence"),
    [
        (
            "SignatureValidationFailed",
            f"image pull failed for ghcr.io/a:1 because the signature validation failed: {_LISTED}",
            "ghcr.io/a:1 is of no registry in openshift.images.allowed_registries",
        ),
        (
            "ImagePullBackOff",
            'Back-off pulling image "ghcr.io/a:1": SignatureValidationFailed: image pull failed for ghcr.io/a:1 '
            f"because the signature validation failed: {_MISSING}",
            "no signature of ghcr.io/a:1 is accepted (openshift.images.signatures): "
            "A signature was required, but no signature exists",
        ),
    ],
)
@pytest.mark.parametrize("rows", ["containerStatuses", "initContainerStatuses"])
def test_a_pod_whose_node_refuses_its_image_is_named_with_what_decides(
    rows: str, reason: str, message: str, sentence: str
) -> None:
    objects = _healthy()
    state = {"waiting": {"reason": reason, "message": message}}
    objects["Pod"][0]["status"] = {"phase": "Pending", rows: [{"name": "a", "image": "ghcr.io/a:1", "state": state}]}
    (verdict,) = diagnose(objects)
    assert (verdict.state, verdict.reason) == ("Pending", sentence)


def test_an_image_that_is_not_found_is_no_matter_of_a_policy() -> None:
    objects = _healthy()
    state = {"waiting": {"reason": "ImagePullBackOff", "message": 'Back-off pulling image "ghcr.io/a:1"'}}
    objects["Pod"][0]["status"] = {"phase": "Pending", "containerStatuses": [{"name": "a", "state": state}]}
    (verdict,) = diagnose(objects)
    assert "openshift.images" not in verdict.reason
