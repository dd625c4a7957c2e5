"""What is asked of sizes is recorded with its place, and guards and caveats are put in words."""

import inspect
import threading
from dataclasses import dataclass

import pytest

from paramproof.formulas.condition import Condition, Relation
from paramproof.formulas.expression import expression, letter
from paramproof.tracing.caveats import caveat_text, joined, sizes_fragment
from paramproof.tracing.recorder import recording
from paramproof.tracing.symbolic.symint import SymInt

H = letter("H")


def size(value, name="H"):
    return SymInt(value, letter(name))


@pytest.mark.parametrize(
    ("asked", "stated"),
    [
        (lambda: size(9) == size(9, "A"), "H = A"),
        (lambda: size(9) != size(8, "A"), "H ≠ A"),
        (lambda: size(9) < 25_000, "H < 25000"),
        (lambda: size(9) >= size(4, "A"), "H ≥ A"),
        (lambda: size(9) - size(4, "A") > 0, "H > A"),
        (lambda: size(9) <= 3, "H > 3"),
        (lambda: size(9) % size(3, "A") == 0, "A divides H"),
        (lambda: size(9) % size(4, "A") != 0, "A does not divide H"),
        (lambda: bool(size(9) % 2), "2 does not divide H"),
        (lambda: size(9) % 4 == 1, "4 divides H − 1"),
        (lambda: size(9) == size(9) // size(3, "A") * size(3, "A"), "A divides H"),
        (lambda: size(9) / 2 > 2.6, "H > 5"),
        (lambda: bool(size(9) - 3), "H − 3 ≠ 0"),
        (lambda: 3 * (size(9) // size(4, "A")) > 0, "H ≥ A"),
        (lambda: bool(size(9) // size(4, "A")), "H ≥ A"),
        (lambda: size(9) // 10 > 0, "H < 10"),
        (lambda: size(9) // 10 == 0, "H < 10"),
        (lambda: bool((size(9) - 3) // 4), "⌊(H + 1)/4⌋ − 1 ≠ 0"),
        (lambda: (size(9) - 3) // 4 > 0, "⌊(H + 1)/4⌋ > 1"),
        (lambda: bool((size(4, "A") - size(9)) // size(2, "L")), "⌊(−H + A)/L⌋ ≠ 0"),
        (lambda: size(9) / size(4, "A") - 2 > 0, "H/A > 2"),
        (lambda: bool(size(9) / 2 - 3), "H − 6 ≠ 0"),
    ],
)
def test_words(asked, stated):
    """Each is asked once, is met where it was asked, and reads as people say it."""
    with recording() as recorder:
        asked()
    (condition,) = recorder.size_guards
    assert str(condition) == stated
    heads = 9 if stated == "H = A" else 3 if "s H" in stated else 4
    assert condition.is_met({"H": 9, "A": heads, "L": 2})


def test_the_same_question_answered_otherwise_is_another():
    with recording() as recorder:
        assert size(9) > 4
        assert not size(3) > 4
    assert {condition.holds for condition in recorder.guards} == {True, False}


def test_other_threads_ask_too_and_nobody_is_asked_outside():
    with recording() as recorder:
        thread = threading.Thread(target=lambda: size(9) > 4)
        thread.start()
        thread.join()
    assert size(9) > 5
    assert [str(condition) for condition in recorder.size_guards] == ["H > 4"]


def test_what_an_index_is_asked_is_about_no_size():
    with recording() as recorder:
        assert SymInt(3, letter("@7")) < size(9)
    assert recorder.guards
    assert not recorder.size_guards


def line():
    return inspect.currentframe().f_back.f_lineno


def places(recorder):
    (found,) = recorder.guards.values()
    return found


def test_each_place_that_asks():
    with recording() as recorder:
        for _ in range(3):
            assert size(9) > 4
        again = line() + 1
        assert size(7) > 4
    assert places(recorder) == {(__file__, again - 2), (__file__, again)}


def test_a_comparison_that_python_writes_asks_for_whoever_compares():
    """A dataclass's own methods have no file."""

    @dataclass
    class Config:
        width: int

    with recording() as recorder:
        here = line() + 1
        assert Config(size(9)) == Config(9)
    assert places(recorder) == {(__file__, here)}


def test_a_doubt():
    with recording() as recorder:
        here = line() + 1
        hash(size(9))
    assert [*map(caveat_text, recorder.caveats)] == [
        f"H was looked up in a dict or a set (test_recorder.py:{here})"
    ]


WIDTH, HEADS = letter("hidden_size"), letter("heads")
LETTERS = {"hidden_size": "H", "heads": "A"}


def test_sizes_are_written_in_letters_and_text_as_it_is():
    """A field is called as a word of the sentence is, and that word stays."""
    looped = Condition(Relation.MORE, letter("@") * HEADS, expression(50), True)
    doubt = ("heads of ", WIDTH / HEADS, " were asked whether ", looped)
    assert caveat_text(doubt) == "heads of hidden_size/heads were asked whether @·heads > 50"
    assert caveat_text(doubt, LETTERS) == "heads of H/A were asked whether A·@ > 50"


@pytest.mark.parametrize("index", [letter("@"), letter("@12")])
def test_the_index_of_a_loop_is_spelt_out(index):
    said = "the index of a loop selected an element of a list (a.py:3)"
    assert caveat_text((index, " selected an element of a list (a.py:3)"), LETTERS) == said


def test_what_is_said_of_sizes():
    assert caveat_text(sizes_fragment({"hidden_size": 12, "heads": 3}), LETTERS) == "H = 12, A = 3"
    assert caveat_text(joined([(WIDTH,), (HEADS,), ("more",)]), LETTERS) == "H, A, more"
    assert joined([]) == ()
