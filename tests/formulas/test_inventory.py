"""The named tensors: their tree, their sums at any depth, their sources."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas import FAMILIES, inventory
from paramproof.formulas.models import named_model
from paramproof.formulas.path import lies_in
from tests import literals
from tests.specs import SPECS
from tests.strategies import specs

SPEC = SPECS["encoder"]

BASE = inventory(named_model("bert-base").spec.letters())

# Source 000 prints these subtotals for bert-base-uncased.
SUBTOTALS = {
    "embeddings": 23_837_184,
    "embeddings.word_embeddings": 23_440_896,
    "embeddings.position_embeddings.weight": 393_216,
    "layers": 85_054_464,
    "layers.*": literals.BERT_BASE_LAYER,
    "layers.*.attention": literals.ATTENTION_LAYER,
    "layers.*.attention.query.kernel": 589_824,
    "layers.*.feed_forward.intermediate.bias": 3_072,
    "pooler": 590_592,
    "": literals.TOTALS["bert-base-uncased"],
}


@pytest.mark.parametrize("component", SUBTOTALS)
def test_subtotals(component):
    assert BASE.total(component) == SUBTOTALS[component]


def stacks(named):
    return {t.path.partition(".*.")[0]: t.repeat for t in named if "*" in t.path}


@given(data=st.data())
def test_components_add_up(family, data):
    spec = data.draw(specs(family))
    named = inventory(spec.letters())

    def assert_sum(component, times):
        below = named.below(component)
        if below and below != (component,):
            total = sum(named.total(path) for path in below) * times
            assert named.total(component) == total, component
            for path in below:
                assert_sum(path, stacks(named).get(path, 1))

    assert_sum("", 1)


@given(data=st.data())
def test_expanding_keeps_the_sums(family, data):
    spec = data.draw(specs(family))
    named = inventory(spec.letters())
    expanded = named.expand()
    assert expanded.total() == named.total()
    for stack, layers in stacks(named).items():
        for index in range(layers):
            assert expanded.total(f"{stack}.{index}") == named.total(f"{stack}.*")
    paths = [tensor.path for tensor in expanded]
    assert len(set(paths)) == len(paths)
    assert not any("*" in path for path in paths)


def test_expanding_two_stacks_keeps_the_order_of_the_model():
    expanded = inventory(SPECS["encoder-decoder"].letters()).expand()
    parts = [".".join(tensor.path.split(".")[:3]) for tensor in expanded]
    tables = "{0}.embeddings.word_embeddings", "{0}.embeddings.position_embeddings"
    sides = {"encoder": 2, "decoder": 4}
    stacks = [[*tables, *(f"{{0}}.layers.{n}" for n in range(sides[side]))] for side in sides]
    expected = [part.format(side) for side, own in zip(sides, stacks, strict=True) for part in own]
    assert list(dict.fromkeys(parts)) == [*expected, "lm_head.weight"]


def one_layer(family):
    """Return the model of ``literals.SHAPES``: one layer, with every part."""
    spec = SPECS[family]
    layers = {"num_hidden_layers", "num_encoder_layers", "num_decoder_layers"}
    there = {"mlm_head", "nsp_head"}
    names = set(type(spec).__dataclass_fields__)
    return replace(spec, **dict.fromkeys(layers & names, 1), **dict.fromkeys(there & names, True))


def test_every_path_and_shape(family):
    """The canonical names, to which every framework's file maps its own."""
    spec = one_layer(family)
    expanded = inventory(spec.letters()).expand()
    assert expanded.letters == spec.letters()
    shapes = {tensor.path: tensor.shape for tensor in expanded}
    assert shapes == literals.SHAPES[family]
    assert list(shapes) == list(literals.SHAPES[family])


def test_absent_parts_are_absent():
    bare = inventory(replace(SPEC, pooler=False, num_hidden_layers=0).letters()).expand()
    assert {tensor.path.split(".")[0] for tensor in bare} == {"embeddings"}


def test_tables_of_two_vocabularies():
    def tied(**changes):
        expanded = inventory(replace(SPECS["encoder-decoder"], **changes).letters()).expand()
        own = expanded.total() - replaced_layers(expanded)
        return own // 12, {t.path: t.tied_to for t in expanded if t.tied_to}

    def replaced_layers(expanded):
        return expanded.total("encoder.layers") + expanded.total("decoder.layers")

    source, target = (
        f"{side}.embeddings.word_embeddings.weight" for side in ("encoder", "decoder")
    )
    apart = {"share_embeddings": False, "target_vocab_size": 13}
    assert tied() == (11, {target: source, "lm_head.weight": source})
    assert tied(tie_word_embeddings=False) == (11 + 11, {target: source})
    assert tied(**apart) == (11 + 13, {"lm_head.weight": target})
    assert tied(**apart, tie_word_embeddings=False) == (11 + 13 + 13, {})


def test_fixed_positions_are_listed_but_not_counted():
    spec = SPECS["encoder-decoder"]
    fixed = [t for t in inventory(spec.letters()).expand() if not t.trainable]
    assert [(t.path, t.shape) for t in fixed] == [
        (f"{side}.embeddings.position_embeddings.weight", (7, 12))
        for side in ("encoder", "decoder")
    ]
    learned = inventory(replace(spec, learned_positions=True).letters())
    assert all(tensor.trainable for tensor in learned.expand())
    assert learned.total() - inventory(spec.letters()).total() == 2 * 7 * 12


@pytest.mark.parametrize(
    ("family", "changes", "head", "biases"),
    [
        ("encoder", {"mlm_head": True}, "mlm_head.decoder", 11),
        ("gpt", {}, "lm_head", 0),
        ("llama", {}, "lm_head", 0),
    ],
)
def test_a_tied_head_adds_no_matrix(family, changes, head, biases):
    ties = {}
    for tied in (True, False):
        spec = replace(SPECS[family], tie_word_embeddings=tied, **changes)
        named = inventory(spec.letters())
        (tensor,) = (t for t in named.expand() if t.path == f"{head}.weight")
        ties[tied] = tensor.tied_to, named.total(head) - biases
    table = SPECS[family].vocab_size * SPECS[family].hidden_size
    assert ties == {True: ("embeddings.word_embeddings.weight", 0), False: (None, table)}


CITED = ("arXiv:", "google-research/bert", "openai/gpt-2", "meta-llama/llama")


def test_every_tensor_cites_its_source(family):
    letters = FAMILIES[family].letters(*(1 for _ in FAMILIES[family].letters._fields))
    for tensor in inventory(letters):
        assert any(source in tensor.source for source in CITED), tensor.path


def test_unknown_component():
    with pytest.raises(KeyError, match=r"layers\.12"):
        BASE.total("layers.12")
    with pytest.raises(TypeError, match=r"^only a family's inventory in ints can be expanded$"):
        inventory(SPEC.letters()._replace(L=2.0)).expand()


def test_the_tensors_below_a_component():
    named = inventory(SPEC.letters())
    parts = ("embeddings", "layers", "pooler", "mlm_head", "nsp_head")
    assert tuple(named.below()) == parts
    assert [*named.below("layers")] == ["layers.*"]
    for component in ("embeddings", "layers.*", "pooler"):
        for path, inside in named.below(component).items():
            assert path.removeprefix(f"{component}.").count(".") == 0
            assert inside.tensors == tuple(one for one in named if lies_in(one.path, path))
            assert inside.letters == named.letters
    assert [*named.below("pooler")] == ["pooler.kernel", "pooler.bias"]
    assert named.below("pooler.bias") == {}
