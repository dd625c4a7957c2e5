"""What each framework can express, as a literal: a new refusal is a visible change here."""

from dataclasses import replace

import pytest

from builders import UnsupportedSpec, check
from builders.residual import explained
from formulas import EncoderSpec

SPEC = EncoderSpec(
    vocab_size=11,
    hidden_size=6,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=5,
    max_position_embeddings=7,
    type_vocab_size=2,
)

FEATURES = {
    "encoder": {},
    "no pooler": {"pooler": False},
    "mlm": {"mlm_head": True},
    "mlm, no pooler": {"mlm_head": True, "pooler": False},
    "nsp": {"nsp_head": True},
    "mlm, nsp": {"mlm_head": True, "nsp_head": True},
    "mlm untied": {"mlm_head": True, "tie_word_embeddings": False},
    "L = 0": {"num_hidden_layers": 0},
    "L = 0, no pooler": {"num_hidden_layers": 0, "pooler": False},
    "H = 1": {"hidden_size": 1, "num_attention_heads": 1},
    "A = 1": {"num_attention_heads": 1},
    "A = H": {"num_attention_heads": 6},
    "V = F = P = 1": {"vocab_size": 1, "intermediate_size": 1, "max_position_embeddings": 1},
    "T = 1": {"type_vocab_size": 1},
    "T = 3": {"type_vocab_size": 3},
}

REFUSED = {
    "flax-linen": set(),
    "flax-nnx": set(),
    "keras-jax": set(),
    "keras-tensorflow": set(),
    "keras-torch": set(),
    "keras-bert": {"mlm untied", "L = 0, no pooler", "H = 1", "T = 1", "T = 3"},
    "torch": set(),
    "transformers": {"mlm", "mlm untied"},
}


@pytest.mark.parametrize("feature", FEATURES)
def test_feature(framework, builder, feature):
    spec = replace(SPEC, **FEATURES[feature])
    supported = builder.supports(spec)
    if feature in REFUSED[framework.name]:
        assert isinstance(supported, str)
        with pytest.raises(UnsupportedSpec) as refusal:
            builder.build(spec)
        assert str(refusal.value) == supported
    else:
        assert supported is True
        report = check(builder, spec)
        assert report.equal, explained(report, spec)


def test_fixed_fields_are_what_supports_refuses(framework, builder):
    """The header tells the strategies what ``supports`` would tell them one by one."""
    others = {"type_vocab_size": 3, "tie_word_embeddings": False}
    spec = replace(SPEC, mlm_head=True, nsp_head=True)
    for field, value in others.items():
        refused = builder.supports(replace(spec, **{field: value})) is not True
        assert refused == (field in framework.fixed)
    assert builder.supports(replace(spec, **framework.fixed)) is True
