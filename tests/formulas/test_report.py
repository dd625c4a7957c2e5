"""Rows in full, and the exact text of the report."""

import json
from dataclasses import replace

import pytest

from paramproof.formulas import Report, Row, Weight, compare, inventory
from tests.formulas.comparisons import DECODER, WORDS, comparison, only_row, weights_of
from tests.specs import SPECS

SPEC = SPECS["encoder"]
TIED = replace(SPEC, mlm_head=True)
UNTIED = replace(TIED, tie_word_embeddings=False)


def native(spec, **changes):
    """Return weights whose native paths differ from the canonical ones, after some changes."""
    return [
        replace(weight, path=f"native.{weight.path}", **changes.get(weight.path, {}))
        for weight in weights_of(spec)
    ]


def test_unexpected_in_full():
    extra = Weight("gate", (4, 2), True, ("layers.0.gate", "layers.1.gate"))
    note = "layers.0.gate: not in this spec; layers.1.gate: not in this spec"
    expected = Row("unexpected", "layers.0.gate", None, "gate", (4, 2), 8, note)
    assert only_row(SPEC, [*weights_of(SPEC), extra]) == expected


def test_wrong_shape_in_full():
    weights = native(SPEC, **{"pooler.bias": {"shape": (13,)}})
    expected = Row("wrong shape", "pooler.bias", (12,), "native.pooler.bias", (13,), 1)
    assert only_row(SPEC, weights) == expected


def test_wrong_shape_of_a_weight_with_an_unexpected_part():
    parts = ("pooler.bias", "pooler.gate")
    weights = native(SPEC, **{"pooler.bias": {"shape": (24,), "parts": parts}})
    note = "pooler.gate: not in this spec"
    expected = Row("wrong shape", "pooler.bias", (12,), "native.pooler.bias", (24,), 12, note)
    assert only_row(SPEC, weights) == expected


def test_wrong_trainability_in_full():
    weights = native(SPEC, **{"pooler.bias": {"trainable": False}})
    expected = Row(
        "wrong trainability", "pooler.bias", (12,), "native.pooler.bias", (12,), -12, "frozen"
    )
    assert only_row(SPEC, weights) == expected


def test_trainable_where_it_should_be_frozen():
    named = inventory(SPEC.letters())
    fixed = [replace(t, trainable=t.path != "pooler.bias") for t in named]
    (row,) = compare(replace(named, tensors=tuple(fixed)), native(SPEC)).rows
    assert row == Row(
        "wrong trainability", "pooler.bias", (12,), "native.pooler.bias", (12,), 12, "trainable"
    )


def test_extra_alias_in_full():
    weights = native(SPEC, **{WORDS: {"aliases": ("layers.0.gate",)}})
    note = f"shares the storage of {WORDS}"
    expected = Row("unexpected", "layers.0.gate", None, f"native.{WORDS}", (11, 12), 0, note)
    assert only_row(SPEC, weights) == expected


def test_tied_where_it_should_not_be_in_full():
    weights = native(UNTIED, **{WORDS: {"aliases": (DECODER,)}})
    weights = [weight for weight in weights if weight.parts != (DECODER,)]
    note = f"shares the storage of {WORDS}"
    expected = Row("missing", DECODER, (11, 12), f"native.{WORDS}", None, -132, note)
    assert only_row(UNTIED, weights) == expected


def test_a_native_name_ties_as_well_as_a_canonical_one():
    assert comparison(TIED, native(TIED, **{WORDS: {"aliases": (DECODER,)}})).equal


def test_heads_are_split_by_the_head_size():
    """The row has whole numbers, too."""
    path = "layers.0.attention.query.kernel"
    split = {"shape": (12, 3, 4), "layout": ("heads_out",)}
    assert comparison(SPEC, native(SPEC, **{path: split})).equal
    row = only_row(SPEC, native(SPEC, **{path: split | {"shape": (12, 4, 3)}}))
    assert repr(row.expected) == "(12, 3, 4)"


def test_stacked_rows_name_every_layer():
    stacked = Weight("s", (3, 12), True, ("layers.*.feed_forward.output.bias",), ("stacked",))
    others = [w for w in weights_of(SPEC) if not w.path.endswith("feed_forward.output.bias")]
    row = only_row(SPEC, [*others, stacked])
    assert (row.path, row.difference) == ("layers.*.feed_forward.output.bias", 12)


def test_an_alias_has_as_many_layers_as_its_storage():
    path = "layers.*.feed_forward.output.bias"
    stacked = Weight("s", (2, 12), True, (path,), ("stacked",), aliases=("pooler.bias",))
    with pytest.raises(ValueError, match="zip"):
        comparison(SPEC, [stacked])


def test_fused_tensors_are_at_the_same_depth():
    fused = Weight("f", (24,), True, ("pooler.bias", "layers.0.attention.key.bias"))
    with pytest.raises(ValueError, match="zip"):
        comparison(SPEC, [fused])


ROWS = (
    Row("missing", "layers.0.gate", (3, 4), None, None, -12),
    Row("wrong shape", "layers.0.b", (3,), "h.0.b", (40000,), 39997, "a note"),
    Row("wrong shape", "layers.1.b", (3,), "h.1.b", (40000,), 39997, "a note"),
)

TEXT = """\
a model
actual 1,079,982 − formula 1,000,000 = +79,982
component        what         expected  native     observed  difference
layers.0.gate    missing      (3, 4)    -          -         −12
layers.*.b (x2)  wrong shape  (3)       h.0.b ...  (40000)   +79,994     a note"""


def test_text():
    assert Report(1_000_000, 1_079_982, ROWS, about="a model").render() == TEXT


def test_text_without_differences():
    text = "actual 5 − formula 5 = 0\na note\nevery tensor is as the formula says"
    assert Report(5, 5, (), notes=("a note",)).render() == text
    assert Report(5, 6, ()).render() == "actual 6 − formula 5 = +1"


def test_data():
    """The shapes of rows survive JSON, which has no tuples."""
    report = Report(1_000_000, 1_079_982, ROWS)
    assert Report.from_data(json.loads(json.dumps(report.as_data()))) == report
    assert [*report.as_data()] == ["formula", "actual", "difference", "rows"]
    assert report.as_data()["difference"] == report.difference


def test_text_of_many_rows():
    """Fifty lines, and one with the sum of the others."""
    rows = tuple(Row("unexpected", f"w{n}x", None, f"w{n}x", (n,), n) for n in range(20_000))
    _, _, *lines, last = Report(0, sum(range(20_000)), rows).render().splitlines()
    assert len(lines) == 50
    assert last.startswith("and ")
    assert last.split() == ["and", "19,950", "more", f"+{sum(range(50, 20_000)):,}"]
    assert sum(int(line.split()[-1]) for line in lines) == sum(range(50))


def test_unprintable_names_are_escaped():
    name = "\x1b[2Jevery tensor is as the formula says\n" + "x" * 10**6
    row = Row("unexpected", name, None, name, (1,) * 10**6, 1, name)
    *_, line = Report(0, 1, (row,)).render().splitlines()
    assert line.startswith(r"\x1b[2Jevery tensor is as the formula says\n")
    assert line.isprintable()
    assert len(line) < 600


def test_a_note_has_more_room_than_a_name():
    note = "note " * 30
    *_, line = (
        Report(0, 1, (Row("unexpected", "w", None, "w", (1,), 1, note),)).render().splitlines()
    )
    assert line.endswith(note.strip())


def test_a_width():
    """Rows are folded to the width; without one they are not folded."""
    report = compare(inventory(SPEC.letters()), native(SPEC)[1:])
    whole, folded = report.render(), report.render(60)
    heading = next(line for line in whole.splitlines() if line.startswith("component"))
    assert len(heading) > 60
    rows = folded.partition("component")[2].splitlines()
    assert rows
    assert max(map(len, rows)) <= 60
