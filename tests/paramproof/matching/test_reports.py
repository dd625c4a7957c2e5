"""Reports on models and files that differ from the formula, and those that do not differ.

``CHANGES`` and ``REPORTS`` have a model for each way to differ, and ``__snapshots__`` the whole
report on each. ``pytest tests/paramproof/matching/test_reports.py --snapshot-update`` writes them:
read the diff, since nothing else does.
"""

from dataclasses import replace
from functools import partial
from math import prod
from pathlib import Path

import numpy as np
import pytest

from paramproof import assert_parameters, compare
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas import EncoderSpec, Weight
from paramproof.matching import model_comparison
from paramproof.matching.model_comparison import report_on
from paramproof.sources.checkpoints import Checkpoint, StoredTensor
from tests.checkpoints import (
    BOTH,
    ENCODER,
    GPT,
    GROUPED,
    LAYERS,
    SIZES,
    T5,
    canonical,
    derivation,
    in_memory,
)
from tests.configs import BERT
from tests.configs import SMALL_MIXTRAL as SMALL
from tests.derivations import MIXTURE, NUMBER, E, H, tensor, with_tensors
from tests.paramproof.matching.models import model, shapes
from tests.specs import LIVE_ENCODER, SPECS
from tests.work import calls_of


def without(tensors, *parts):
    kept = {n: shape for n, shape in tensors.items() if not any(part in n for part in parts)}
    assert len(kept) < len(tensors)
    return kept


QWEN = {
    **{"model_type": "qwen3", "architectures": ["Qwen3ForCausalLM"], "vocab_size": 100},
    **{"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 28, "head_dim": 8},
    **{"num_attention_heads": 4, "num_key_value_heads": 2},
}
DEEPSEEK = QWEN | {
    **{"model_type": "deepseek_v2", "architectures": ["DeepseekV2ForCausalLM"]},
    **{"num_hidden_layers": 4, "first_k_dense_replace": 1, "n_routed_experts": 4},
    **{"n_shared_experts": 1, "moe_intermediate_size": 6, "kv_lora_rank": 4, "q_lora_rank": None},
    **{"qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 8, "num_key_value_heads": 4},
}
BARE = EncoderSpec(**SIZES, **LAYERS, hidden_size=12, max_position_embeddings=11, type_vocab_size=2)
TIED = replace(LIVE_ENCODER, mlm_head=True)

NAMED = {
    "model.embed_tokens.weight": (50, 8),
    **{f"model.layers.{n}.norm.weight": (8,) for n in range(5)},
    **{f"model.layers.{n}.attention.weight": (8, 8) for n in range(5)},
    **{f"model.layers.{n}.attention.bias": (8,) for n in range(5)},
    **{f"model.layers.{n}.mlp.weight": (16, 8) for n in range(2)},
    **{f"model.layers.{n}.mlp.experts.{e}.weight": (16, 8) for n in (2, 3, 4) for e in range(4)},
    **{f"model.layers.{n}.mlp.router.weight": (4, 8) for n in (2, 3, 4)},
    "score.weight": (3, 8),
}
"""The tensors of ``MIXTURE`` by name."""

LLAMA = {
    "model.embed_tokens.weight": (29, 12),
    **{
        f"model.layers.{n}.{name}.weight": shape
        for n in range(GROUPED.num_hidden_layers)
        for name, shape in {
            **{"input_layernorm": (12,), "post_attention_layernorm": (12,)},
            **{"self_attn.q_proj": (24, 12), "self_attn.k_proj": (8, 12)},
            **{"self_attn.v_proj": (8, 12), "self_attn.o_proj": (12, 24)},
            **{"mlp.gate_proj": (7, 12), "mlp.up_proj": (7, 12), "mlp.down_proj": (12, 7)},
        }.items()
    },
    "model.norm.weight": (12,),
    "lm_head.weight": (29, 12),
}
"""The tensors of ``GROUPED`` in transformers, by name."""

EXPERT = {"w1": (6, 8), "w2": (8, 6), "w3": (6, 8)}
MOE = "model.layers.{}.block_sparse_moe"
MIXTRAL = without(in_memory(SMALL), ".mlp.") | {
    f"{MOE.format(layer)}.{name}.weight": shape
    for layer in range(2)
    for name, shape in {
        "gate": (3, 8),
        **{f"experts.{expert}.{name}": EXPERT[name] for expert in range(3) for name in EXPERT},
    }.items()
}
"""The tensors of ``SMALL`` as they are stored."""


def sparse(name):
    if ".mlp.gate." not in name and "experts" not in name:
        return name
    model, layers, number, *rest = name.split(".")
    return ".".join((model, layers, str(int(number) + 1), *rest))


def begun(prefix, tensors):
    return {f"{prefix}{name}": shape for name, shape in tensors.items()}


def file(tensors, of, **how):
    entries = tuple(StoredTensor(name, shape, "F32") for name, shape in tensors.items())
    expected = derivation(of) if isinstance(of, dict) else FamilyArchitecture.of(of)
    return report_on(Checkpoint(Path("model.safetensors"), 1, entries), expected, **how)


def live(tensors, spec=LIVE_ENCODER):
    return compare(model(tensors), spec)


def listed(tensors, of, frozen=("frozen.weight",)):
    def read(_):
        return [Weight(name, shape, name not in frozen) for name, shape in tensors.items()]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_comparison, "live_weights", read)
        return compare(object(), of)


def blocks(tensors, spec):
    names = {n.replace("layers.0", "net.5").replace("layers.1", "net.6"): n for n in tensors}
    return compare({"params": {n: np.empty(tensors[own]) for n, own in names.items()}}, spec)


def sharing(number):
    variables = model(shapes(TIED))
    table = next(array for array in variables["params"].values() if array.shape == (31, 12))
    variables["params"] |= {f"tied{n}": table for n in range(number)}
    return compare(variables, TIED)


def frozen(*more):
    every = {"params": {f"more{n}": np.empty(3) for n in more}}
    return compare(every | {"frozen": model(shapes())["params"]}, LIVE_ENCODER)


BASES = {
    "encoder": (file, canonical(ENCODER), ENCODER),
    "bare encoder": (file, canonical(BARE), BARE),
    "gpt": (file, canonical(GPT), GPT),
    "llama": (file, canonical(GROUPED), GROUPED),
    "encoder-decoder": (file, canonical(BOTH), BOTH),
    "qwen": (file, in_memory(QWEN), QWEN),
    "deepseek": (file, {sparse(n): s for n, s in in_memory(DEEPSEEK).items()}, DEEPSEEK),
    "mixtral": (file, MIXTRAL, SMALL),
    "t5": (file, in_memory(T5), T5),
    "names": (listed, NAMED, MIXTURE),
    "names of transformers": (listed, begun("net.", LLAMA), GROUPED),
    "shapes": (live, shapes(), LIVE_ENCODER),
    "shapes of llama": (live, shapes(SPECS["llama"]), SPECS["llama"]),
    "shapes with a tied table": (live, shapes(TIED), TIED),
    "blocks": (blocks, canonical(LIVE_ENCODER), LIVE_ENCODER),
}
"""How a report is made, from which tensors, and for which model."""

SWAPPED = "net.model.layers.1.mlp.{}_proj.weight"
KEY, GONE = "layers.0.attention.key.kernel", "layers.1.feed_forward.intermediate.bias"
QKV = {f"{n}.qkv": (10, width) for n, width in enumerate((72, 48))}

CHANGES = [
    ("encoder-decoder", "", {"encoder.embeddings.position_embeddings.weight": (6, 12)}),
    ("gpt", KEY, {"layers.1.feed_forward.output.bias": (13,), "adapter.weight": (5, 3)}),
    ("gpt", "", {"lm_head.weight": (29, 12)}),
    ("llama", "", {"layers.2.attention_norm.scale": (12,)}),
    ("llama", "", {"layers.*.attention_norm.scale": (12,)}),
    ("llama", "", {"layers.00.attention_norm.scale": (12,)}),
    ("bare encoder", "", {"nsp_head.classifier.bias": (2,)}),
    ("encoder", "attention.key.bias", {}),
    # Names show in which layers a tensor is, or nothing tells.
    ("qwen", "layers.1.self_attn.k_norm", {}),
    ("qwen", "layers.4.self_attn.k_norm layers.7.self_attn.k_norm layers.9.self_attn.k_norm", {}),
    ("qwen", "self_attn.k_norm", {}),
    ("qwen", "layers.27.", {}),
    ("deepseek", "layers.3.", {}),
    ("deepseek", "layers.2.mlp.gate.weight", {}),
    ("deepseek", "layers.0.", {}),
    ("deepseek", "layers.0.mlp.", {}),
    ("deepseek", "layers.2.mlp.gate. layers.2.mlp.shared layers.2.mlp.experts", {}),
    # Experts are tensors of their own in the file, and one tensor in memory.
    ("mixtral", "layers.1.block_sparse_moe.experts.2.", {}),
    ("mixtral", ".w3.", {}),
    ("mixtral", "layers.1.block_sparse_moe.experts.", {}),
    ("mixtral", "", {f"{MOE.format(0)}.experts.3.{n}.weight": EXPERT[n] for n in EXPERT}),
    ("mixtral", "", {f"{MOE.format(1)}.experts.2.w2.weight": (8, 5)}),
    ("t5", "", {"lm_head.weight": (20, 6)}),
    # Live models, by names.
    (
        "names of transformers",
        "",
        {SWAPPED.format("gate"): (12, 7), SWAPPED.format("down"): (7, 12)},
    ),
    ("names", "score", {"frozen.weight": (3, 8)}),
    ("names", "layers.3.norm", {"extra": (8,)}),
    ("names", "", {"score.weight": (8, 3)}),
    ("names", "", {"model.layers.5.attention.bias": (8,)}),
    ("names", ".experts.3.", {}),
    ("names", ".router.", {}),
    ("names", "layers.4.attention.bias", {}),
    ("names", "", {"extra": (50, 8)}),
    ("names", "", {"extra": (7, 16)}),
    ("names", "score", {"extra": (11,)}),
    # Live models, by shapes.
    ("shapes", GONE, {"embeddings.word_embeddings.weight": (32, 12)}),
    ("shapes", "", {f"more.{i}": (3, 5) for i in range(2)}),
    ("shapes", "", {f"more.{i}": (3, 5) for i in range(3)}),
    ("shapes", "pooler.kernel", {}),
    ("shapes", "norm.bias", {}),
    ("shapes", "pooler.bias layers.0.feed_forward.output.kernel", {"a": (3, 5), "b": (12,)}),
    ("shapes with a tied table", "", {"tied": (31, 12)}),
    ("shapes of llama", ".attention.", {**QKV, "0.o": (6, 4, 10), "1.o": (6, 4, 10)}),
    ("shapes of llama", "feed_forward.up feed_forward.gate", {"0": (10, 11), "1": (10, 11)}),
    ("shapes of llama", "layers.0.feed_forward.up layers.0.feed_forward.gate", {"0": (10, 10)}),
    ("blocks", KEY, {}),
    ("blocks", GONE, {}),
]
"""The changes to each report: parts of the names of tensors to remove, and tensors to add."""


def changed(base, gone, more):
    report_on_tensors, tensors, of = BASES[base]
    return report_on_tensors((without(tensors, *gone.split()) if gone else tensors) | more, of)


def called(base, gone, more):
    names = [f"without {gone}"] * bool(gone) + [f"with {name} {more[name]}" for name in more]
    return " ".join([base, *names])


IN_MEMORY = in_memory(SMALL)
UNPRINTABLE = {f"\x1b[2J{n}" + "x" * 10**4: np.empty(n) for n in range(100, 400)}
NO_ENTRIES = with_tensors(tensor("a", H, H), tensor("b", H, E - 4))

REPORTS = {called(*change): partial(changed, *change) for change in CHANGES} | {
    "a prefix": lambda: file(begun("base.", canonical(GROUPED) | {"more": (2,)}), GROUPED),
    "an unknown prefix": lambda: file(begun("base.inner.", MIXTRAL), SMALL),
    "every size different": lambda: file({n: (*s[:-1], 4) for n, s in IN_MEMORY.items()}, SMALL),
    "wrong names": lambda: file({f"x{n}": s for n, s in enumerate(IN_MEMORY.values())}, SMALL),
    "the inner model": lambda: file(
        {n.removeprefix("model."): s for n, s in without(MIXTRAL, "lm_head").items()}, SMALL
    ),
    "a head of another shape": lambda: file(
        in_memory(T5) | {"lm_head.weight": (6, 20)}, T5, is_untied=True
    ),
    "frozen, not trainable": lambda: listed(NAMED, MIXTURE, frozen=["score.weight"]),
    "beside a tensor without entries": lambda: listed(
        {"a": (8, 8), "b": (8, 3)}, replace(NO_ENTRIES, conditions=())
    ),
    "one storage of many names": lambda: sharing(5),
    "all frozen": lambda: frozen(),
    "nearly all frozen": lambda: frozen(1),
    "statistics": lambda: compare(
        model(shapes()) | {"batch_stats": {"mean": np.empty(12)}}, LIVE_ENCODER
    ),
    "names that cannot be printed": lambda: compare(
        {"params": UNPRINTABLE | model(shapes())["params"]}, LIVE_ENCODER
    ),
    "2,000 layers": lambda: live(shapes(), replace(LIVE_ENCODER, num_hidden_layers=2_000)),
}


@pytest.mark.parametrize("name", REPORTS)
def test_report(name, snapshot):
    report = REPORTS[name]()
    assert report.difference == sum(row.difference for row in report.rows)
    text = report.render()
    assert text.replace("\n", "").isprintable()
    assert max(map(len, text.splitlines()[1:])) < 300
    assert text == snapshot


EARLIER = {n.replace("LayerNorm.weight", "LayerNorm.gamma"): s for n, s in in_memory(BERT).items()}
OTHER_NAME = without(in_memory(T5), "shared") | {"lm_head.weight": (20, 6)}
POSITIONS = "model.embed_positions.weight"

EQUAL = {name: partial(changed, name, "", {}) for name in BASES if "shapes" not in name} | {
    "without fixed tables": lambda: file(without(canonical(BOTH), "position"), BOTH),
    "buffers of a family": lambda: file(canonical(GPT) | {"h.0.attn.bias": (1, 1, 11, 11)}, GPT),
    "as in memory": lambda: file(IN_MEMORY, SMALL),
    "one layer as in memory": lambda: file(
        without(IN_MEMORY, "layers.1.") | without(MIXTRAL, "layers.0."), SMALL
    ),
    "wrappers": lambda: file(begun("module._orig_mod.", MIXTRAL), SMALL),
    "the outer model": lambda: file(
        without(MIXTRAL, "lm_head"), SMALL | {"architectures": ["MixtralModel"]}
    ),
    "old names and buffers": lambda: file(
        EARLIER | {"bert.embeddings.position_ids": (1, 512)}, BERT
    ),
    "a buffer of older files": lambda: file(
        MIXTRAL | {"model.layers.0.self_attn.rotary_emb.inv_freq": (1,)}, SMALL
    ),
    "the other name of a tied tensor": lambda: file(OTHER_NAME, T5),
    "the other name, untied": lambda: file(OTHER_NAME, T5, is_untied=True),
    "a wrapper of names": lambda: listed(begun("module.", NAMED), MIXTURE),
    "a fixed tensor": lambda: listed(NAMED | {POSITIONS: (9, 8)}, MIXTURE, frozen=[POSITIONS]),
}


@pytest.mark.parametrize("name", EQUAL)
def test_equal(name):
    report = EQUAL[name]()
    assert report.equal, report.render()
    assert report.notes[-1] == f"tensors matched by {'shape' if name == 'blocks' else 'name'}"
    assert ("buffers, not compared" in report.render()) is ("buffer" in name)


def test_other_names_are_matched_by_shape():
    """Another framework's kernels are transposed; a few names of transformers do not count."""
    other = {n.replace("_proj", "").replace("layers", "h"): s for n, s in LLAMA.items()}
    assert "lm_head.weight" in other
    turned = {name: shape[::-1] for name, shape in NAMED.items()}
    for found in (compare(model(turned), MIXTURE), listed(other, GROUPED)):
        assert found.equal
        assert found.notes[-1] == "tensors matched by shape"


def test_a_head_untied_in_the_file():
    """Its values are in the file, and not in the formula."""
    tensors, head = in_memory(T5), {"lm_head.weight": (20, 6)}
    report, total = file(tensors | head, T5, is_untied=True), sum(map(prod, tensors.values()))
    assert report.equal
    assert report.actual == report.formula == total
    assert "lm_head.weight has 120 values of its own, which the formula" in report.render()
    assert f"total with the tensors untied in the file: {total + 120:,}" in report.notes


def test_equality_needs_counterparts_and_totals():
    """A frozen tensor is not a counterpart, whatever the totals; and totals matter, too."""
    one = frozen()
    assert not replace(one, actual=one.formula, frozen=0).equal
    one = live(shapes())
    assert replace(one, actual=one.formula, frozen=0).equal
    assert not replace(one, actual=one.formula - 1, frozen=0).equal


def test_not_every_shared_storage_is_printed():
    arrays = {f"w{n}": array for n, array in enumerate(model(shapes())["params"].values())}
    twice = {f"\x1b{name}": array for name, array in arrays.items()}
    lines = compare({"params": arrays | twice}, LIVE_ENCODER).render().splitlines()
    assert sum(line.startswith("one storage") for line in lines) == 10
    assert f"and {len(arrays) - 10} more" in lines


def test_the_work_grows_no_faster_than_the_number_of_layers():
    def work(layers):
        spec = replace(LIVE_ENCODER, num_hidden_layers=layers)
        return calls_of(lambda: live(shapes(), spec).render())

    assert work(2_000) < 2.2 * work(1_000)


def test_the_assertion_shows_the_report(monkeypatch):
    assert_parameters(model(shapes()), LIVE_ENCODER)
    variables = model(shapes() | {"extra": (3, 5)})
    with pytest.raises(AssertionError) as failure:
        assert_parameters(variables, LIVE_ENCODER)
    assert str(failure.value) == compare(variables, LIVE_ENCODER).render()
    read = [Weight(name, shape, True) for name, shape in NAMED.items()]
    monkeypatch.setattr(model_comparison, "live_weights", lambda _: read)
    assert_parameters(object(), MIXTURE)
    assert compare(object(), MIXTURE).actual == NUMBER
