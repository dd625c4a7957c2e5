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
    """Return every stack of layers, with its number of layers."""
    return {t.path.partition(".*.")[0]: t.repeat for t in named if "*" in t.path}


@given(data=st.data())
def test_components_add_up(family, data):
    spec = data.draw(specs(family))
    named = inventory(spec.letters())

    def assert_sum(component, times):
        below = named.components(component)
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
    components = [".".join(tensor.path.split(".")[:3]) for tensor in expanded]
    assert list(dict.fromkeys(components)) == [
        "encoder.embeddings.word_embeddings",
        "encoder.embeddings.position_embeddings",
        *(f"encoder.layers.{index}" for index in range(2)),
        "decoder.embeddings.word_embeddings",
        "decoder.embeddings.position_embeddings",
        *(f"decoder.layers.{index}" for index in range(4)),
        "lm_head.weight",
    ]


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


def test_components_of_each_depth():
    named = inventory(SPEC.letters())
    assert named.components() == ("embeddings", "layers", "pooler", "mlm_head", "nsp_head")
    assert named.components("layers") == ("layers.*",)
    assert named.components("layers.*") == (
        "layers.*.attention",
        "layers.*.attention_layer_norm",
        "layers.*.feed_forward",
        "layers.*.feed_forward_layer_norm",
    )
    assert named.components("pooler") == ("pooler.kernel", "pooler.bias")
    assert named.components("pooler.bias") == ()


def test_kernel_shapes_are_inputs_then_outputs():
    shapes = {tensor.path: tensor.shape for tensor in inventory(SPEC.letters()).expand()}
    assert shapes["layers.0.feed_forward.intermediate.kernel"] == (12, 5)
    assert shapes["layers.1.feed_forward.output.kernel"] == (5, 12)
    assert shapes["embeddings.word_embeddings.weight"] == (11, 12)


def test_absent_parts_are_absent():
    bare = inventory(replace(SPEC, pooler=False, num_hidden_layers=0).letters()).expand()
    assert {tensor.path.split(".")[0] for tensor in bare} == {"embeddings"}


def test_a_tied_decoder_adds_only_its_bias():
    tied = inventory(replace(SPEC, mlm_head=True).letters())
    untied = inventory(replace(SPEC, mlm_head=True, tie_word_embeddings=False).letters())
    assert tied.total("mlm_head.decoder") == 11
    assert untied.total("mlm_head.decoder") == 11 + 11 * 12
    (decoder,) = (t for t in tied.expand() if t.path == "mlm_head.decoder.weight")
    assert decoder.tied_to == "embeddings.word_embeddings.weight"
    (decoder,) = (t for t in untied.expand() if t.path == "mlm_head.decoder.weight")
    assert decoder.tied_to is None


def test_tables_of_two_vocabularies():
    """Sharing and tying determine which of the Transformer's three tables are the same."""

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


@pytest.mark.parametrize("name", ["gpt", "llama"])
def test_a_tied_language_head_adds_nothing(name):
    ties = {}
    for tied in (True, False):
        spec = replace(SPECS[name], tie_word_embeddings=tied)
        named = inventory(spec.letters())
        (tensor,) = (t for t in named.expand() if t.path == "lm_head.weight")
        ties[tied] = tensor.tied_to, named.total("lm_head")
    table = SPECS[name].vocab_size * SPECS[name].hidden_size
    assert ties == {True: ("embeddings.word_embeddings.weight", 0), False: (None, table)}


CITED = ("arXiv:", "google-research/bert", "openai/gpt-2", "meta-llama/llama")


def test_every_tensor_cites_its_source(family):
    letters = FAMILIES[family].letters(*(1 for _ in FAMILIES[family].letters._fields))
    for tensor in inventory(letters):
        assert any(source in tensor.source for source in CITED), tensor.path


def test_unknown_component():
    with pytest.raises(KeyError, match=r"layers\.12"):
        BASE.total("layers.12")


def test_only_ints_expand():
    with pytest.raises(TypeError, match=r"^only a family's inventory in ints can be expanded$"):
        inventory(SPEC.letters()._replace(L=2.0)).expand()


BIASES = "google-research/bert, modeling.py, attention_layer"


@pytest.mark.parametrize(
    ("family", "component", "clause"),
    [
        ("encoder", "layers.*.attention", f"; biases: {BIASES}"),
        ("encoder-decoder", "encoder.layers.*.attention", " and section 3.2.3, second bullet"),
        ("encoder-decoder", "decoder.layers.*.attention", " and section 3.2.3, third bullet"),
        ("encoder-decoder", "decoder.layers.*.cross_attention", " and section 3.2.3, first bullet"),
    ],
)
def test_attentions_cite_their_section(family, component, clause):
    named = inventory(SPECS[family].letters())
    sources = {tensor.source for tensor in named if lies_in(tensor.path, component)}
    assert sources == {f"Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2{clause}"}


@pytest.mark.parametrize(
    ("family", "source"),
    [
        (
            "gpt",
            "Radford et al. 2018, Improving Language Understanding by Generative Pre-Training, "
            "section 3.1, equation 2; openai/gpt-2, src/model.py, model (logits)",
        ),
        ("llama", "meta-llama/llama, llama/model.py, Transformer (output)"),
    ],
)
def test_a_language_head_cites_the_source_of_its_tying(family, source):
    """The papers of GPT-2 and LLaMA do not say it."""
    named = inventory(SPECS[family].letters())
    assert {tensor.source for tensor in named if lies_in(tensor.path, "lm_head")} == {source}


def test_the_tensors_below_a_component():
    named = inventory(SPEC.letters())
    assert [*named.below()] == [*named.components()] == [*named.below("")]
    below = named.below("embeddings")
    tables = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    assert [*below] == [f"embeddings.{name}" for name in (*tables, "layer_norm")]
    for path, inside in below.items():
        assert inside.tensors == tuple(one for one in named if lies_in(one.path, path))
        assert inside.letters == named.letters
    assert named.below("embeddings.layer_norm.scale") == {}
