"""``compare`` and its report, for weights made by hand, without a framework."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import Weight, inventory
from tests.formulas.comparisons import DECODER, WORDS, comparison, only_row, weights_of
from tests.specs import SPECS
from tests.strategies import specs

SPEC = SPECS["encoder"]
BOTH = SPECS["encoder-decoder"]


@given(data=st.data())
def test_equal(family, data):
    spec = data.draw(specs(family))
    report = comparison(spec, weights_of(spec))
    assert report.equal
    assert report.difference == 0
    assert "every tensor is as the formula says" in report.render()


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


def test_a_frozen_extra_tensor_costs_nothing_and_is_reported():
    row = only_row(SPEC, [*weights_of(SPEC), Weight("gate", (4,), False, ())])
    assert (row.kind, row.difference, row.note) == ("unexpected", 0, "no canonical name")


def test_wrong_shape_of_equal_size():
    """The total is right although the model is wrong."""
    weights = [replace(w, shape=w.shape[::-1]) for w in weights_of(SPEC)]
    report = comparison(SPEC, weights)
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
    assert comparison(SPEC, [*separate, *good]).equal
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
    """One array holds every layer's tensor; without layers, its first axis is 0."""
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
        assert comparison(spec, [*others, *stacked]).equal
        if layers:
            assert len(comparison(spec, others).rows) == 16 * layers
            wrong = [replace(stacked[0], shape=(layers + 1, 12, 12)), *stacked[1:]]
            row = only_row(spec, [*others, *wrong])
            assert (row.kind, row.difference) == ("wrong shape", 144)


def test_two_stacks_may_differ_in_depth():
    named = inventory(BOTH.letters())
    stacked = [
        Weight(t.path, (layers, *t.shape), True, (t.path,), ("stacked",))
        for t in named
        if "*" in t.path
        for layers in [{"encoder": 2, "decoder": 4}[t.path.split(".")[0]]]
    ]
    others = [w for w in weights_of(BOTH) if ".layers." not in w.path]
    assert len(stacked) == 16 + 26
    assert comparison(BOTH, [*others, *stacked]).equal
    swapped = replace(stacked[-1], shape=(2, 12))
    row = only_row(BOTH, [*others, *stacked[:-1], swapped])
    assert (row.kind, row.expected, row.difference) == ("wrong shape", (4, 12), -24)
    # A stack that is absent, and one without layers.
    lost = Weight("lost", (2, 3), True, ("layers.*.attention.key.bias",), ("stacked",))
    row = only_row(BOTH, [*weights_of(BOTH), lost])
    assert (row.kind, row.note) == ("unexpected", "layers.*.attention.key.bias: not in this spec")
    assert row.path == "layers.*.attention.key.bias"


def test_fused_grouped_queries_have_unequal_parts():
    spec = SPECS["llama"]
    qkv = ("query", "key", "value")
    separate = [w for w in weights_of(spec) if w.path.split(".")[-2] not in qkv]
    good = [fused(spec, index, qkv, 24 + 12 + 12) for index in range(2)]
    assert comparison(spec, [*separate, *good]).equal
    row = only_row(spec, [*separate, good[0], fused(spec, 1, qkv, 3 * 24)])
    assert (row.kind, row.expected, row.observed) == ("wrong shape", (48, 10), (72, 10))


def test_heads_are_split_by_head_size():
    spec = SPECS["llama"]
    shapes = {"query": (10, 6, 4), "key": (10, 3, 4), "value": (10, 3, 4), "output": (6, 4, 10)}
    weights = []
    for weight in weights_of(spec):
        name = weight.path.split(".")[-2]
        if name in shapes:
            layout = "heads_in" if name == "output" else "heads_out"
            weight = replace(weight, shape=shapes[name], layout=(layout,))
        weights.append(weight)
    assert comparison(spec, weights).equal


class TestFixedPositions:
    tables = tuple(
        f"{side}.embeddings.position_embeddings.weight" for side in ("encoder", "decoder")
    )

    def with_tables(self, *tables):
        return [w for w in weights_of(BOTH) if w.trainable] + list(tables)

    def table(self, index, shape=(7, 12), **changes):
        return Weight(f"table.{index}", shape, False, (self.tables[index],), **changes)

    def test_they_may_be_absent(self):
        assert comparison(BOTH, self.with_tables()).equal
        assert comparison(BOTH, self.with_tables(self.table(1))).equal

    def test_they_may_be_shared(self):
        shared = self.table(0, aliases=self.tables[1:])
        assert comparison(BOTH, self.with_tables(shared)).equal

    def test_their_shape_must_match(self):
        row = only_row(BOTH, self.with_tables(self.table(0, (8, 12))))
        assert (row.kind, row.path, row.expected) == ("wrong shape", self.tables[0], (7, 12))
        assert row.difference == 0

    def test_they_are_never_trainable(self):
        row = only_row(BOTH, self.with_tables(replace(self.table(0), trainable=True)))
        assert (row.kind, row.note, row.difference) == ("wrong trainability", "trainable", 84)

    def test_a_trainable_table_is_not_the_fixed_one(self):
        words = "encoder.embeddings.word_embeddings.weight"
        weights = [
            replace(w, aliases=self.tables[:1]) if w.path == words else w
            for w in self.with_tables()
        ]
        row = only_row(BOTH, weights)
        assert (row.kind, row.path, row.difference) == ("missing", self.tables[0], 0)


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
        assert comparison(self.spec, self.with_alias(self.spec)).equal

    def test_tying_by_data_flow(self):
        assert comparison(self.spec, weights_of(self.spec)).equal

    def test_separate_storage_where_it_should_be_tied(self):
        row = only_row(self.spec, weights_of(self.untied))
        assert (row.kind, row.path, row.difference) == ("unexpected", DECODER, 132)
        assert row.note == f"{DECODER}: should share the storage of {WORDS}"

    def test_tied_to_the_wrong_table(self):
        positions = "embeddings.position_embeddings.weight"
        weights = [
            replace(w, aliases=(DECODER,)) if w.path == positions else w
            for w in weights_of(self.spec)
        ]
        row = only_row(self.spec, weights)
        assert (row.kind, row.path, row.difference) == ("missing", DECODER, 0)
        assert row.note == f"shares the storage of {positions}"

    def test_an_alias_of_a_tensor_with_its_own_storage(self):
        scale = "embeddings.layer_norm.scale"
        weights = [replace(w, aliases=(scale,)) if w.path == WORDS else w for w in weights_of(SPEC)]
        row = only_row(SPEC, weights)
        table = next(w for w in weights if w.path == WORDS)
        assert (row.native, row.observed, row.expected) == (WORDS, table.shape, None)
        assert (row.kind, row.path, row.difference) == ("unexpected", scale, 0)
        assert row.note == f"shares the storage of {WORDS}"


def test_render():
    spec = replace(SPEC, num_hidden_layers=3)
    weights = [
        w
        for w in weights_of(spec)
        if not w.path.endswith("intermediate.bias") and w.path != "pooler.bias"
    ]
    report = comparison(spec, weights)
    lines = report.render().splitlines()
    assert lines[0] == f"actual {report.actual:,} − formula {report.formula:,} = −27"
    assert lines[1:] == [
        "  −15  layers 0-2: feed_forward.intermediate.bias is missing: (5)",
        "  −12  pooler.bias is missing: (12)",
    ]
