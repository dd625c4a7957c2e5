"""``compare`` and its report, on weights made by hand: no framework is needed here."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from builders.strategies import encoder_specs
from formulas import EncoderSpec, Weight, compare, inventory
from tests.formulas.test_spec import SPEC

WORDS = "embeddings.word_embeddings.weight"
DECODER = "mlm_head.decoder.weight"


def weights_of(spec):
    """The weights of a framework that stores everything as the formula writes it."""
    return [
        Weight(tensor.path, tensor.shape, tensor.trainable, (tensor.path,))
        for tensor in inventory(spec.letters()).expand()
        if tensor.tied_to is None
    ]


def compared(spec, weights):
    return compare(inventory(spec.letters()), weights)


@given(encoder_specs())
def test_equal(spec):
    report = compared(spec, weights_of(spec))
    assert report.equal
    assert report.difference == 0
    assert "every tensor is as the formula says" in report.render(spec)


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


@given(spec=encoder_specs(), data=st.data())
def test_rows_add_up_to_the_difference(spec, data):
    weights = []
    for weight in weights_of(spec):
        fault = data.draw(st.sampled_from([None, None, *FAULTS]))
        weights += FAULTS[fault](weight) if fault else [weight]
    # With the fused and the shared as well.
    if len(weights) > 2 and data.draw(st.booleans(), label="share"):
        weights[0] = replace(weights[0], aliases=weights[1].parts)
        del weights[1]
    report = compared(spec, weights)
    assert sum(row.difference for row in report.rows) == report.difference
    assert report.equal == (weights == weights_of(spec))


def only_row(spec, weights):
    (row,) = compared(spec, weights).rows
    return row


def test_missing():
    weights = [w for w in weights_of(SPEC) if w.path != "pooler.bias"]
    row = only_row(SPEC, weights)
    assert (row.kind, row.path, row.expected) == ("missing", "pooler.bias", (12,))
    assert (row.native, row.observed, row.difference) == (None, None, -12)


def test_unexpected():
    extra = Weight("gate", (4,), True, ("layers.0.gate",))
    row = only_row(SPEC, [*weights_of(SPEC), extra])
    assert (row.kind, row.path, row.native, row.difference) == (
        ("unexpected", "layers.0.gate", "gate", 4)
    )
    assert row.note == "layers.0.gate: not in this spec"


def test_a_frozen_surplus_costs_nothing_and_is_reported():
    row = only_row(SPEC, [*weights_of(SPEC), Weight("gate", (4,), False, ())])
    assert (row.kind, row.difference, row.note) == ("unexpected", 0, "no canonical name")


def test_wrong_shape_of_equal_size():
    """The total is right and the model is not."""
    weights = [replace(w, shape=w.shape[::-1]) for w in weights_of(SPEC)]
    report = compared(SPEC, weights)
    assert report.difference == 0
    assert not report.equal
    assert {row.kind for row in report.rows} == {"wrong shape"}


def test_wrong_trainability():
    weights = [replace(w, trainable=w.path != "pooler.kernel") for w in weights_of(SPEC)]
    row = only_row(SPEC, weights)
    assert (row.kind, row.note, row.difference) == ("wrong trainability", "frozen", -144)


def fused(spec, index, names, width):
    return Weight(
        f"in_proj_{index}",
        (width, spec.hidden_size),
        True,
        tuple(f"layers.{index}.attention.{name}.kernel" for name in names),
        ("transposed",),
    )


def test_fused_weights():
    qkv = ("query", "key", "value")
    separate = [
        w for w in weights_of(SPEC) if not any(w.path.endswith(f"{name}.kernel") for name in qkv)
    ]
    good = [fused(SPEC, index, qkv, 36) for index in range(2)]
    assert compared(SPEC, [*separate, *good]).equal
    short = [fused(SPEC, 0, qkv, 36), fused(SPEC, 1, qkv, 24)]
    row = only_row(SPEC, [*separate, *short])
    assert row.path == "layers.1.attention.{query,key,value}.kernel"
    assert (row.kind, row.expected, row.observed) == ("wrong shape", (36, 12), (24, 12))
    assert row.difference == -144
    twice = Weight("key", (12, 12), True, ("layers.0.attention.key.kernel",))
    row = only_row(SPEC, [*separate, *good, twice])
    assert (row.kind, row.difference) == ("unexpected", 144)
    assert row.note == "layers.0.attention.key.kernel: stored a second time"


def test_stacked_weights():
    """Every layer's tensor in one array; with no layers, an array without entries."""
    for layers in (0, 1, 3):
        spec = replace(SPEC, num_hidden_layers=layers)
        named = inventory(spec.letters())
        stacked = [
            Weight(t.path, (layers, *t.shape), True, (t.path,), ("stacked",))
            for t in named
            if t.repeat is spec.num_hidden_layers and "*" in t.path
        ]
        others = [w for w in weights_of(spec) if not w.path.startswith("layers.")]
        assert len(stacked) == 16
        assert compared(spec, [*others, *stacked]).equal
        if layers:
            assert len(compared(spec, others).rows) == 16 * layers
            wrong = [replace(stacked[0], shape=(layers + 1, 12, 12)), *stacked[1:]]
            row = only_row(spec, [*others, *wrong])
            assert (row.kind, row.difference) == ("wrong shape", 144)


class TestTying:
    spec = replace(SPEC, mlm_head=True)
    untied = replace(spec, tie_word_embeddings=False)

    def with_alias(self, spec):
        return [
            replace(w, aliases=(DECODER,)) if w.path == WORDS else w
            for w in weights_of(spec)
            if w.path != DECODER
        ]

    def test_shared_storage(self):
        assert compared(self.spec, self.with_alias(self.spec)).equal

    def test_data_flow(self):
        assert compared(self.spec, weights_of(self.spec)).equal

    def test_its_own_storage_where_it_should_be_tied(self):
        row = only_row(self.spec, weights_of(self.untied))
        assert (row.kind, row.path, row.difference) == ("unexpected", DECODER, 132)
        assert row.note == f"{DECODER}: should share the storage of {WORDS}"

    def test_tied_where_it_should_not_be(self):
        row = only_row(self.untied, self.with_alias(self.untied))
        assert (row.kind, row.path, row.difference) == ("missing", DECODER, -132)
        assert row.note == f"shares the storage of {WORDS}"

    def test_tied_to_the_wrong_table(self):
        positions = "embeddings.position_embeddings.weight"
        weights = [
            replace(w, aliases=(DECODER,)) if w.path == positions else w
            for w in weights_of(self.spec)
        ]
        row = only_row(self.spec, weights)
        assert (row.kind, row.path, row.difference) == ("missing", DECODER, 0)
        assert row.note == f"shares the storage of {positions}"

    def test_a_name_too_many(self):
        weights = [
            replace(w, aliases=("layers.0.gate",)) if w.path == WORDS else w
            for w in weights_of(SPEC)
        ]
        row = only_row(SPEC, weights)
        assert (row.kind, row.path, row.difference) == ("unexpected", "layers.0.gate", 0)


def test_render():
    spec = replace(SPEC, num_hidden_layers=3)
    weights = [
        w
        for w in weights_of(spec)
        if not w.path.endswith("intermediate.bias") and w.path != "pooler.bias"
    ]
    report = compared(spec, weights)
    lines = report.render(spec).splitlines()
    assert eval(lines[0].removeprefix("spec = "), {"EncoderSpec": EncoderSpec}) == spec
    assert lines[1] == f"actual {report.actual:,} - formula {report.formula:,} = -27"
    assert lines[2].split() == ["component", "what", "expected", "native", "observed", "difference"]
    assert lines[3].split() == (
        ["layers.*.feed_forward.intermediate.bias", "(x3)", "missing", "(5)", "-", "-", "-15"]
    )
    assert lines[4].split() == ["pooler.bias", "missing", "(12)", "-", "-", "-12"]
    assert len(lines) == 5
