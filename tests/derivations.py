"""Derived formulas written by hand, for counting without a framework."""

from dataclasses import replace

from paramproof.formulas.architecture import Evidence
from paramproof.formulas.condition import Condition, Consequence, Outcome, Relation, StatedCondition
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.expression import expression, letter

A, D, E, F, H, L, V, k = map(letter, "ADEFHLVk")
ONE, DIVIDES = expression(1), Condition(Relation.DIVIDES, A, H, True)


def tensor(path, *shape, times=ONE, role="trainable", aliases=()):
    return DerivedTensor(path, tuple(map(expression, shape)), times, role, aliases, True, True)


MIXTURE = Derivation(
    name="MixtureForSequenceClassification",
    sizes={"V": 50, "H": 8, "A": 2, "L": 5, "D": 2, "F": 16, "E": 4, "k": 3},
    fields={
        **{"V": "vocab_size", "H": "hidden_size", "A": "heads", "L": "layers"},
        **{"D": "dense_layers", "F": "ffn_dim", "E": "experts", "k": "num_labels"},
    },
    tensors=(
        tensor("model.embed_tokens.weight", V, H, aliases=("model.head.weight",)),
        tensor("model.embed_positions.weight", 9, H, role="frozen"),
        tensor("model.layers.*.norm.weight", H, times=L),
        tensor("model.layers.*.attention.weight", H, H, times=L),
        tensor("model.layers.*.attention.bias", H, times=L),
        tensor("model.layers.*.mlp.weight", F, H, times=D),
        tensor("model.layers.*.mlp.experts.*.weight", F, H, times=E * (L - D)),
        tensor("model.layers.*.mlp.router.weight", E, H, times=L - D),
        tensor("model.rotary", H / 2, role="buffer"),
        tensor("score.weight", k, H),
    ),
    conditions=(StatedCondition(DIVIDES, Consequence(Outcome.REFUSED, "no"), (("a.py", 3),)),),
    unexplained=("model.ids of (9) (buffer)",),
    evidence=Evidence(5, 30, 21, 0.25, {"transformers": "5", "torch": "2"}),
)
"""Dense layers and expert layers, a head tied to the token table, fixed positions, a buffer."""

NUMBER = 50 * 8 + 5 * (8 + 8 * 8 + 8) + 2 * 16 * 8 + 3 * (4 * 16 * 8 + 4 * 8) + 3 * 8
"""Trainable parameters of ``MIXTURE``."""


def with_tensors(*tensors, **changes):
    return replace(MIXTURE, tensors=tensors, **changes)
