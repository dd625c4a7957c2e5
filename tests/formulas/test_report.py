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


POOLER = "native.pooler.bias"
PARTS = ("pooler.bias", "pooler.gate")
NOT_THERE = "pooler.gate: not in this spec"
STACKED = "layers.*.feed_forward.output.bias"
SHARED = f"shares the storage of {WORDS}"


@pytest.mark.parametrize(
    ("path", "change", "expected"),
    [
        (
            "pooler.bias",
            {"shape": (13,)},
            Row("wrong shape", "pooler.bias", (12,), POOLER, (13,), 1),
        ),
        (
            "pooler.bias",
            {"shape": (24,), "parts": PARTS},
            Row("wrong shape", "pooler.bias", (12,), POOLER, (24,), 12, NOT_THERE),
        ),
        (
            "pooler.bias",
            {"trainable": False},
            Row("wrong trainability", "pooler.bias", (12,), POOLER, (12,), -12, "frozen"),
        ),
        (
            WORDS,
            {"aliases": ("layers.0.gate",)},
            Row("unexpected", "layers.0.gate", None, f"native.{WORDS}", (11, 12), 0, SHARED),
        ),
    ],
)
def test_a_row_in_full(path, change, expected):
    assert only_row(SPEC, native(SPEC, **{path: change})) == expected


def test_unexpected_in_full():
    extra = Weight("gate", (4, 2), True, ("layers.0.gate", "layers.1.gate"))
    note = "layers.0.gate: not in this spec; layers.1.gate: not in this spec"
    expected = Row("unexpected", "layers.0.gate", None, "gate", (4, 2), 8, note)
    assert only_row(SPEC, [*weights_of(SPEC), extra]) == expected


def test_trainable_where_it_should_be_frozen():
    named = inventory(SPEC.letters())
    fixed = [replace(t, trainable=t.path != "pooler.bias") for t in named]
    (row,) = compare(replace(named, tensors=tuple(fixed)), native(SPEC)).rows
    assert row == Row(
        "wrong trainability", "pooler.bias", (12,), "native.pooler.bias", (12,), 12, "trainable"
    )


def test_tied_where_it_should_not_be_in_full():
    weights = native(UNTIED, **{WORDS: {"aliases": (DECODER,)}})
    weights = [weight for weight in weights if weight.parts != (DECODER,)]
    expected = Row("missing", DECODER, (11, 12), f"native.{WORDS}", None, -132, SHARED)
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
    stacked = Weight("s", (3, 12), True, (STACKED,), ("stacked",))
    others = [w for w in weights_of(SPEC) if not w.path.endswith("feed_forward.output.bias")]
    row = only_row(SPEC, [*others, stacked])
    assert (row.path, row.difference) == (STACKED, 12)


@pytest.mark.parametrize(
    "weight",
    [
        Weight("s", (2, 12), True, (STACKED,), ("stacked",), aliases=("pooler.bias",)),
        Weight("f", (24,), True, ("pooler.bias", "layers.0.attention.key.bias")),
    ],
)
def test_aliases_and_fused_tensors_have_one_depth(weight):
    with pytest.raises(ValueError, match="zip"):
        comparison(SPEC, [weight])


ROWS = (
    Row("missing", "layers.0.gate", (3, 4), None, None, -12),
    Row("wrong shape", "layers.0.b", (3,), "h.0.b", (40000,), 39997, "a note"),
    Row("wrong shape", "layers.1.b", (3,), "h.1.b", (40000,), 39997, "a note"),
)

TEXT = """\
a model
actual 1,079,982 − formula 1,000,000 = +79,982
  +79,994  layers 0 and 1: b has the shape (40000), not (3); named h.0.b ... in the model; a note
  −12  layers 0: gate is missing: (3, 4)"""


def test_text():
    assert Report(1_000_000, 1_079_982, ROWS, about="a model").render() == TEXT
    assert str(Report(1_000_000, 1_079_982, ROWS, about="a model")) == TEXT


def test_text_with_letters():
    """Each row has its own if they are not the number, and the whole comes last."""
    letters = ("actual − formula = 2·B − 12", "2·B", "−12")
    lines = Report(1_000_000, 1_079_982, ROWS, residual=letters).render().splitlines()
    assert lines[1].startswith("  +79,994 = 2·B  layers 0 and 1: b")
    assert lines[2:] == ["  −12  layers 0: gate is missing: (3, 4)", letters[0]]


def in_layers(*numbers, name="norm.bias"):
    return [f"model.layers.{number}.{name}" for number in numbers]


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["layers.1.k_norm.weight"], "layers 1: k_norm.weight"),
        (in_layers(9, 4, 7), "model.layers 4, 7 and 9: norm.bias"),
        (in_layers(*range(3, 28)), "model.layers 3-27: norm.bias"),
        (in_layers(0, 1, *range(5, 28), 30), "model.layers 0, 1, 5-27 and 30: norm.bias"),
        (
            in_layers(*range(0, 40, 2)),
            "model.layers 0, 2, 4, 6, 8, 10, 12, 14 and 12 more: norm.bias",
        ),
        (in_layers(1, 2, name="experts.3.up"), "model.layers 1 and 2: experts.3.up"),
        (in_layers(1, name="a.0.w") + in_layers(2, name="a.5.w"), "model.layers 1 and 2: a.*.w"),
        (["layers.1000-1999999.norm"], "layers 1000-1999999: norm"),
        (["scales.7"], "scales 7"),
        (["5.weight"], "5.weight"),
        (["0.weight", "1.weight"], "layers 0 and 1: weight"),
        (["layers.*.norm.bias"], "layers.*.norm.bias"),
    ],
)
def test_layers(paths, said):
    """One line names the layers in which a tensor differs."""
    rows = tuple(Row("missing", path, (3,), None, None, -3) for path in paths)
    *_, line = Report(3 * len(paths), 0, rows).render().splitlines()
    assert line == f"  −{3 * len(paths)}  {said} is missing: (3)"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (Row("unexpected", "w", None, "w", (3,), 3), "+3  w is unexpected: (3)"),
        (
            Row("wrong trainability", "w", (3,), "x.w", (3,), -3, "frozen"),
            "−3  w is frozen, but should be trainable: (3); named x.w in the model",
        ),
        (Row("wrong count", "head", None, None, None, 3), "+3  head differs in its number"),
        (Row("wrong name", "*", None, "x.*", None, 0, "all begin with x."), "0  all begin with x."),
    ],
)
def test_sentences(row, said):
    assert Report(9, 9 + row.difference, (row,)).render().splitlines()[-1] == f"  {said}"


OTHER = "this is a model of another architecture or of other sizes: "


@pytest.mark.parametrize(
    ("actual", "rows", "said"),
    [
        (90, [("missing", None, -60), ("unexpected", (50,), 50)], "40 have a counterpart"),
        (100, [("missing", None, -50), ("unexpected", (50,), 50)], ""),
        (50, [("missing", None, -50)], ""),
        (200, [("wrong shape", (200,), 100)], "0 have a counterpart"),
        (100, [("wrong trainability", (100,), -100)], ""),
    ],
)
def test_another_model_is_said_in_one_sentence(actual, rows, said):
    """If less than half of the formula, and of the model, has a counterpart."""
    found = [Row(kind, f"w{n}", None, f"w{n}", shape, d) for n, (kind, shape, d) in enumerate(rows)]
    lines = Report(100, actual, tuple(found)).render().splitlines()
    expected = [f"{OTHER}of the formula's 100 parameters, {said}"] if said else []
    assert [line for line in lines if OTHER in line] == expected


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
    """The twenty largest, and one line with the sum of the others."""
    rows = tuple(Row("unexpected", f"w{n}x", None, f"w{n}x", (n,), n) for n in range(20_000))
    _, *lines, last = Report(0, sum(range(20_000)), rows).render().splitlines()
    assert [int(line.split()[0].replace(",", "")) for line in lines] == [*range(19_999, 19_979, -1)]
    assert last == f"  +{sum(range(19_980)):,}  and 19,980 more"


def test_unprintable_names_are_escaped():
    name = "\x1b[2Jevery tensor is as the formula says\n" + "x" * 10**6
    row = Row("unexpected", name, None, name, (1,) * 10**6, 1, name)
    *_, line = Report(0, 1, (row,)).render().splitlines()
    assert line.startswith(r"  +1  \x1b[2Jevery tensor is as the formula says\n")
    assert line.isprintable()
    assert len(line) < 600


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_width(width):
    """Lines are folded to the width, and their rest is indented; without one they are not."""
    report = replace(compare(inventory(SPEC.letters()), native(SPEC)[1:]), about="a model " * 20)
    whole, folded = report.render(), report.render(width)
    assert max(map(len, whole.splitlines())) > 80
    assert max(map(len, folded.splitlines())) <= width
    assert folded.replace("\n    ", "").replace(" ", "") == whole.replace(" ", "")
