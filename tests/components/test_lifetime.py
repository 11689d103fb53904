"""A program ends when its engine does, and not before."""

import grpc
import pytest

from podwright.components.lifetime import MISSES, watch


class Answer(grpc.RpcError):  # type: ignore[misc]
    def __init__(self, code: grpc.StatusCode) -> None:
        self._code = code

    def code(self) -> grpc.StatusCode:
        return self._code


GONE, SLOW = grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED


@pytest.mark.parametrize(
    ("answers", "asked"),
    [
        ([None, GONE, GONE, GONE], 4),
        ([GONE, GONE, None, GONE, GONE, GONE], 6),
        ([GONE, GONE, SLOW, GONE, GONE, GONE], 6),
    ],
    ids=["gone", "back once", "slow"],
)
def test_it_ends_after_three_questions_in_a_row_that_nobody_takes(
    answers: list[grpc.StatusCode | None], asked: int
) -> None:
    left, ended = list(answers), []

    def ask() -> None:
        code = left.pop(0)
        if code is not None:
            raise Answer(code)

    watch(ask, lambda: ended.append(len(answers) - len(left)), every=0)
    assert ended == [asked]
    assert MISSES == 3
