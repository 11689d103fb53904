"""What services that scale need of the cluster: the Custom Metrics Autoscaler, which is KEDA."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi

from podwright.components.contract import After
from podwright.components.design.operators import autoscaling
from podwright.components.operators import InstalledOperator, Made, OperatorArgs


class CustomMetricsAutoscaler(InstalledOperator):
    """The Custom Metrics Autoscaler Operator, and KEDA, which changes the replicas of services by their metrics."""

    TOKEN = "podwright:index:CustomMetricsAutoscaler"

    def __init__(self, name: str, args: OperatorArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(name, args, opts)
        self.install(args, autoscaling(args.section))


def scaled(*, scales: bool) -> Sequence[Made]:
    """What makes the operator of services that scale; none where no service does."""

    def autoscaler(common: Mapping[str, Any], after: After, opts: pulumi.ResourceOptions) -> InstalledOperator:
        args = OperatorArgs(**common, after=after)
        return CustomMetricsAutoscaler(f"{args.cluster}-autoscaler", args, opts)

    return (autoscaler,) if scales else ()
