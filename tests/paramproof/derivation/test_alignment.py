"""How the aligner proceeds if traces differ, and which sizes it fixes."""

import pytest

from paramproof.derivation.alignment import TraceAligner
from paramproof.derivation.trace_runner import DerivationError
from paramproof.formulas.expression import letter
from paramproof.tracing.caveats import caveat_text
from tests.paramproof.derivation.toys import plain_int, runner

SIZES = {"A": 6, "D": 2, "H": 96, "L": 5}


def aligner(program, **sizes):
    said = []
    found = TraceAligner(runner(program, **SIZES | sizes), said.append)
    found.said = said
    return found


def paths(trace):
    return [key.kind.path for key in trace.readings]


def uniform(parts, H, L, **_):
    for _ in range(L):
        parts.add("layers.*", H)


def test_traces_that_are_alike():
    found = aligner(uniform)
    traces = found.traces(4)
    assert [paths(trace) for trace in traces] == [["layers.*"]] * 4
    assert traces[0].sizes == SIZES
    assert found.said == [f"traced at {number} of 4 points" for number in (2, 3, 4)]
    assert found.runner.traced == 4
    assert found.runner.loops == {letter("L"): None}
    # The length of a loop is never the first one again, and other letters may be.
    assert SIZES["L"] not in [trace.sizes["L"] for trace in traces[1:]]


def turning(parts, A, H, **_):
    parts.add("weight" if plain_int(A) == 6 else "other", H)


def test_a_letter_that_changes_what_is_made_alone_is_fixed():
    found = aligner(turning)
    traces = found.traces(3)
    assert found.runner.fixed == {"A"}
    assert [trace.sizes["A"] for trace in traces] == [6] * 3
    assert len({trace.sizes["H"] for trace in traces}) == 3


def refusing(parts, A, D, H, **_):
    if plain_int(D) != 2:
        raise ValueError("only two")
    parts.add("weight", H)


def test_a_letter_that_is_refused_alone_is_fixed():
    assert {trace.sizes["D"] for trace in aligner(refusing).traces(3)} == {2}


def by_ratio(parts, A, D, H, L):
    """Only when two of them move together is another tensor made."""
    parts.add("weight", H)
    if plain_int(A) != 6 and plain_int(D) != 2:
        parts.add("other", H)
    for _ in range(L):
        parts.add("layers.*", H)


def test_letters_that_may_not_move_together_are_fixed():
    """None of them does anything alone, and none is a loop's."""
    found = aligner(by_ratio)
    assert found.not_moving_together() == {"D"}
    traces = aligner(by_ratio).traces(4)
    assert [paths(trace) for trace in traces] == [["weight", "layers.*"]] * 4


@pytest.mark.parametrize("still", [set(), {"A"}, {"D"}, {"A", "D"}, {"H"}])
def test_what_may_move_is_found_by_halves(still):
    def program(parts, **sizes):
        parts.add("w" if all(plain_int(sizes[n]) == SIZES[n] for n in still) else "other", 3)

    assert aligner(program).not_moving_together() == still


def test_letters_of_loops_are_fixed_where_no_letter_moves_anything_alone():
    def program(parts, D, H, L, **_):
        parts.add("weight" if plain_int(D) == 2 or plain_int(L) == 5 else "other", H)
        for _ in range(L):
            parts.add("layers.*", H)

    found = aligner(program)
    found.traces(4)
    assert found.runner.fixed == {"L"}


def at_random(parts, H, **_):
    at_random.calls += 1
    parts.add(f"weight{'abcdefghijklmnopqrstuvwxyz'[at_random.calls % 26]}", H)


def test_what_differs_without_a_reason_is_not_derived():
    at_random.calls = 0
    said = "^toy: at other sizes other tensors were made, and it was not found why$"
    with pytest.raises(DerivationError, match=said):
        aligner(at_random).traces(3)


def test_letters_that_a_loop_s_index_is_compared_with():
    def program(parts, A, D, H, L):
        for index in range(L):
            if index == D:
                parts.add("special", H)
            if index == A + H:
                parts.add("never", H)
            if index < A:
                parts.add("layers.*", H)
            if index == L - 1:
                parts.add("last", H)
        assert A != 7

    assert aligner(program).numbers_of_layers() == {"D"}


def test_what_its_own_sizes_answer_otherwise_is_doubted():
    """The guard lies in code that the original sizes do not reach."""

    def program(parts, D, H, L, **_):
        for index in range(L):
            if index < D:
                parts.add("dense.*", H)
            else:
                assert H < 90 or H > 1
                parts.add("sparse.*", H)

    found = aligner(program, D=9)
    found.learn(found.runner.trace({**SIZES, "H": 50}))
    doubts = list(map(caveat_text, found.caveats))
    beyond = list(map(str, found.beyond))
    assert beyond == ["H < 90"]
    assert doubts == [f"at its own sizes it was not asked whether {one}" for one in beyond]
