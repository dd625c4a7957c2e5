"""``compare`` and its report, for weights made by hand, without a framework."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import Report, Row, Weight, compare, inventory
from tests.specs import SPECS
from tests.strategies import specs

SPEC, BOTH, LLAMA = SPECS["encoder"], SPECS["encoder-decoder"], SPECS["llama"]
TIED = replace(SPEC, mlm_head=True)
UNTIED = replace(TIED, tie_word_embeddings=False)
WORDS = "embeddings.word_embeddings.weight"
DECODER = "mlm_head.decoder.weight"
BIASES = "layers.*.feed_forward.output.bias"
POSITIONS = "embeddings.position_embeddings.weight"
FIXED = tuple(f"{side}.embeddings.position_embeddings.weight" for side in ("encoder", "decoder"))


def weights_of(spec, changes=None):
    return [
        replace(weight, **(changes or {}).get(tensor.path, {}))
        for tensor in inventory(spec.letters()).expand()
        if tensor.tied_to is None
        for weight in [Weight(f"x.{tensor.path}", tensor.shape, tensor.trainable, (tensor.path,))]
    ]


def comparison(spec, weights):
    return compare(inventory(spec.letters()), weights)


def only_row(spec, weights):
    (row,) = comparison(spec, weights).rows
    return row


def without(spec, *ends):
    return [weight for weight in weights_of(spec) if not weight.path.endswith(ends)]


WHOLE = weights_of(SPEC)


FAULTS = {
    "missing": lambda w: [],
    "frozen": lambda w: [replace(w, trainable=False)],
    "wider": lambda w: [replace(w, shape=(w.shape[0] + 1, *w.shape[1:]))],
    "reversed": lambda w: [replace(w, shape=w.shape[::-1])],
    "doubled": lambda w: [w, replace(w, path=f"{w.path}.again")],
    "renamed": lambda w: [replace(w, path="offset", parts=())],
    "unknown": lambda w: [replace(w, parts=("layers.0.gate.bias",))],
    "frozen and wider": lambda w: [replace(w, shape=(*w.shape, 2), trainable=False)],
}


@given(data=st.data())
def test_rows_add_up_to_the_difference(family, data):
    spec = data.draw(specs(family))
    weights = []
    for weight in weights_of(spec):
        fault = data.draw(st.sampled_from([None, None, *FAULTS]))
        weights += FAULTS[fault](weight) if fault else [weight]
    # Including fused and shared tensors.
    trainable = all(weight.trainable for weight in weights[:2])
    if len(weights) > 2 and trainable and data.draw(st.booleans(), label="share"):
        weights[0] = replace(weights[0], aliases=weights[1].parts)
        del weights[1]
    report = comparison(spec, weights)
    assert sum(row.difference for row in report.rows) == report.difference
    # Fixed tensors may be absent.
    fixed = {weight for weight in weights_of(spec) if not weight.trainable}
    due = [weight for weight in weights_of(spec) if weight.trainable]
    assert report.equal == ([weight for weight in weights if weight not in fixed] == due)


def positions(index, shape=(7, 12), trainable=False, aliases=()):
    return Weight("table", shape, trainable, FIXED[index : index + 1], (), aliases)


def changed(spec, path, **change):
    return spec, weights_of(spec, {path: change})


GATE, SCALE = "layers.0.gate", "embeddings.layer_norm.scale"
TRAINABLE = [weight for weight in weights_of(BOTH) if weight.trainable]
NOT_FIXED = {"encoder.embeddings.word_embeddings.weight": {"aliases": FIXED[:1]}}
CASES = {
    "another shape": changed(SPEC, "pooler.bias", shape=(13,)),
    "a part is unknown": changed(
        SPEC, "pooler.bias", shape=(24,), parts=("pooler.bias", "pooler.gate")
    ),
    "frozen": changed(SPEC, "pooler.bias", trainable=False),
    "missing": (SPEC, without(SPEC, "pooler.bias")),
    "an unknown alias": changed(SPEC, WORDS, aliases=(GATE,)),
    "an alias with a storage of its own": changed(SPEC, WORDS, aliases=(SCALE,)),
    "unknown": (SPEC, [*WHOLE, Weight("gate", (4, 2), True, (GATE, "layers.1.gate"))]),
    "frozen and unknown": (SPEC, [*WHOLE, Weight("gate", (4,), False, ())]),
    "stored twice": (SPEC, [*WHOLE, Weight("again", (12,), True, ("pooler.bias",))]),
    "tied by one storage": changed(TIED, WORDS, aliases=(DECODER,)),
    "tied by data flow": (TIED, weights_of(TIED)),
    "not tied": (TIED, weights_of(UNTIED)),
    "tied to another table": changed(TIED, POSITIONS, aliases=(DECODER,)),
    "tied, but should not be": (
        UNTIED,
        [w for w in changed(UNTIED, WORDS, aliases=(DECODER,))[1] if w.parts != (DECODER,)],
    ),
    "no fixed table": (BOTH, TRAINABLE),
    "one fixed table": (BOTH, [*TRAINABLE, positions(1)]),
    "one shared fixed table": (BOTH, [*TRAINABLE, positions(0, aliases=FIXED[1:])]),
    "another fixed shape": (BOTH, [*TRAINABLE, positions(0, (8, 12))]),
    "not fixed": (BOTH, [*TRAINABLE, positions(0, trainable=True)]),
    "a trainable table is not the fixed one": (
        BOTH,
        [weight for weight in weights_of(BOTH, NOT_FIXED) if weight.trainable],
    ),
}


def test_the_report_of_each_difference(snapshot):
    found = {name: comparison(*case) for name, case in CASES.items()}
    assert {name: str(one).partition(" = ")[2] for name, one in found.items()} == snapshot
    row = only_row(*CASES["a part is unknown"])
    note = "pooler.gate: not in this spec"
    assert row == Row("wrong shape", "pooler.bias", (12,), "x.pooler.bias", (24,), 12, note)


def fused(spec, index, width):
    kernels = tuple(f"layers.{index}.attention.{name}.kernel" for name in ("query", "key", "value"))
    return Weight(f"in_proj_{index}", (width, spec.hidden_size), True, kernels, ("transposed",))


@pytest.mark.parametrize(("spec", "width", "wrong"), [(SPEC, 36, 24), (LLAMA, 24 + 12 + 12, 72)])
def test_fused_weights(spec, width, wrong):
    separate = without(spec, "query.kernel", "key.kernel", "value.kernel")
    good, other = fused(spec, 0, width), fused(spec, 1, width)
    assert comparison(spec, [*separate, good, other]).equal
    row = only_row(spec, [*separate, good, fused(spec, 1, wrong)])
    assert row.path == "layers.1.attention.{query,key,value}.kernel"
    assert (row.kind, row.expected) == ("wrong shape", (width, spec.hidden_size))
    assert row.difference == (wrong - width) * spec.hidden_size


def stacked(named, layers):
    return [
        Weight(t.path, (layers[t.path.split(".")[0]], *t.shape), True, (t.path,), ("stacked",))
        for t in named
        if "*" in t.path
    ]


def test_stacked_weights():
    """One array holds every layer's tensor; without layers, its first axis is 0."""
    for layers in (0, 1, 3):
        spec = replace(SPEC, num_hidden_layers=layers)
        first, *rest = stacked(inventory(spec.letters()), {"layers": layers})
        others = [w for w in weights_of(spec) if not w.path.startswith("x.layers.")]
        assert len(rest) == 15
        assert comparison(spec, [*others, first, *rest]).equal
        if layers:
            assert len(comparison(spec, others).rows) == 16 * layers
            wrong = replace(first, shape=(layers + 1, 12, 12))
            row = only_row(spec, [*others, wrong, *rest])
            assert (row.kind, row.difference) == ("wrong shape", 144)
            assert row.path == (first.path if layers > 1 else first.path.replace("*", "0"))


def test_two_stacks_may_differ_in_depth():
    *some, last = stacked(inventory(BOTH.letters()), {"encoder": 2, "decoder": 4})
    others = [w for w in weights_of(BOTH) if ".layers." not in w.path]
    assert len(some) == 15 + 26
    assert comparison(BOTH, [*others, *some, last]).equal
    row = only_row(BOTH, [*others, *some, replace(last, shape=(2, 12))])
    assert (row.kind, row.expected, row.difference) == ("wrong shape", (4, 12), -24)
    # A stack that is absent.
    path = "layers.*.attention.key.bias"
    lost = Weight("lost", (2, 3), True, (path,), ("stacked",))
    row = only_row(BOTH, [*weights_of(BOTH), lost])
    assert row == Row("unexpected", path, None, "lost", (2, 3), 6, f"{path}: not in this spec")


def test_heads_are_split_by_the_head_size():
    shapes = {"query": (10, 6, 4), "key": (10, 3, 4), "value": (10, 3, 4), "output": (6, 4, 10)}
    weights = []
    for weight in weights_of(LLAMA):
        name = weight.path.split(".")[-2]
        if name in shapes:
            layout = "heads_in" if name == "output" else "heads_out"
            weight = replace(weight, shape=shapes[name], layout=(layout,))
        weights.append(weight)
    assert comparison(LLAMA, weights).equal
    split = {"shape": (12, 4, 3), "layout": ("heads_out",)}
    row = only_row(SPEC, weights_of(SPEC, {"layers.0.attention.query.kernel": split}))
    assert repr(row.expected) == "(12, 3, 4)"


@pytest.mark.parametrize(
    "weight",
    [
        Weight("s", (2, 12), True, (BIASES,), ("stacked",), ("pooler.bias",)),
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


def report(rows, **about):
    return Report(1_000_000, 1_000_000 + sum(row.difference for row in rows), tuple(rows), **about)


def in_layers(*numbers, name="norm.bias"):
    return [f"model.layers.{number}.{name}" for number in numbers]


def missing(*paths):
    return report([Row("missing", path, (3,), None, None, -3) for path in paths])


FROZEN = Row("wrong trainability", "w", (3,), "x.w", (3,), -3, "frozen")
REPORTS = {
    "rows and notes": report(ROWS, about="a model", notes=("a note",)),
    # Each row has its own letters if they are not the number, and the whole comes last.
    "letters": report(ROWS, residual=("actual − formula = 2·B − 12", "2·B", "−12")),
    "no rows": Report(5, 5, (), notes=("a note",)),
    "no rows, but a difference": Report(5, 6, ()),
    "unexpected": report([Row("unexpected", "w", None, "w", (3,), 3)]),
    "frozen": report([FROZEN]),
    "trainable": report([replace(FROZEN, native="w", difference=3, note="trainable")]),
    "number": report([Row("wrong count", "head", None, None, None, 3)]),
    "names": report([Row("wrong name", "*", None, "x.*", None, 0, "all begin with x."), FROZEN]),
    # A line names the layers in which a tensor differs.
    "one layer": missing("layers.1.k_norm.weight"),
    "layers": missing(*in_layers(9, 4, 7)),
    "a range": missing(*in_layers(*range(3, 28))),
    "ranges": missing(*in_layers(0, 1, *range(5, 28), 30)),
    "many": missing(*in_layers(*range(0, 40, 2))),
    "one expert": missing(*in_layers(1, 2, name="experts.3.up")),
    "experts": missing(*in_layers(1, name="a.0.w"), *in_layers(2, name="a.5.w")),
    "given ranges": missing("layers.1000-1999999.norm"),
    "no name below": missing("scales.7"),
    "no name above, one": missing("5.weight"),
    "no name above, two": missing("0.weight", "1.weight"),
    "all layers": missing("layers.*.norm.bias"),
}


def test_texts(snapshot):
    assert {name: str(one) for name, one in REPORTS.items()} == snapshot


OTHER = "this is a model of another architecture or of other sizes: of the formula's 100 parameters"


@pytest.mark.parametrize(
    ("actual", "rows", "said"),
    [
        (90, [("missing", None, -60), ("unexpected", (50,), 50)], 40),
        (100, [("missing", None, -50), ("unexpected", (50,), 50)], None),
        (50, [("missing", None, -50)], None),
        (200, [("wrong shape", (200,), 100)], 0),
        (100, [("wrong trainability", (100,), -100)], None),
    ],
)
def test_another_model_is_said_in_one_sentence(actual, rows, said):
    """If less than half of the formula, and of the model, has a counterpart."""
    found = [Row(kind, f"w{n}", None, f"w{n}", shape, d) for n, (kind, shape, d) in enumerate(rows)]
    lines = Report(100, actual, tuple(found)).render().splitlines()
    expected = [] if said is None else [f"{OTHER}, {said} have a counterpart"]
    assert [line for line in lines if OTHER in line] == expected


def test_text_of_many_rows():
    """The twenty largest, and one line with the sum of the others; foreign text is escaped."""
    rows = [Row("unexpected", f"w{n}x", None, f"w{n}x", (n,), n) for n in range(20_000)]
    _, *lines, last = report(rows).render().splitlines()
    assert [int(line.split()[0].replace(",", "")) for line in lines] == [*range(19_999, 19_979, -1)]
    assert last == f"  +{sum(range(19_980)):,}  and 19,980 more"
    name = "\x1b[2Jevery tensor is as the formula says\n" + "x" * 10**6
    line = report([Row("unexpected", name, None, name, (1,) * 10**6, 1, name)]).render()
    assert r"  +1  \x1b[2Jevery tensor is as the formula says\n" in line
    assert line.replace("\n", "").isprintable()
    assert len(line) < 700


@pytest.mark.parametrize("width", [40, 80])
def test_a_width(width):
    """Lines are folded to the width, and their rest is indented; without one they are not."""
    report = replace(compare(inventory(SPEC.letters()), WHOLE[1:]), about="a model " * 20)
    whole, folded = report.render(), report.render(width)
    assert max(map(len, whole.splitlines())) > 80 >= width >= max(map(len, folded.splitlines()))
    assert folded.replace("\n    ", "").replace(" ", "") == whole.replace(" ", "")
