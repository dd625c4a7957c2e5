"""What each framework refuses, as literals: a new refusal is a visible change here.

A test of models is marked ``expressed("parameter")``, the one that names them, and there is
none of a model that the framework refuses: it is deselected, and counted as such, before a
framework is imported. ``test_refused.py`` holds the literals to what ``supports`` says.
"""

from collections.abc import Iterable

from paramproof.formulas import FAMILIES, Spec
from paramproof.formulas.families import family_of
from paramproof.formulas.models import named_models
from tests.gradients import ENCODERS
from tests.parity.families import SPECS

MODELS: dict[str, Spec] = {
    **ENCODERS,
    **SPECS,
    **{name: named.spec for name, named in named_models().items()},
}
"""Those that the tests of every framework name, but for features, which are refused one by one."""

FAMILIES_REFUSED: dict[str, set[str]] = {
    "flax-linen": set(),
    "flax-nnx": set(),
    "keras-jax": set(),
    "keras-tensorflow": set(),
    "keras-torch": set(),
    "keras-bert": {"encoder-decoder", "gpt", "llama"},
    "torch": set(),
    "transformers": {"encoder-decoder"},
}
"""Of which no model at all can be expressed."""

MODELS_REFUSED: dict[str, set[str]] = {
    "flax-linen": set(),
    "flax-nnx": set(),
    "keras-jax": set(),
    "keras-tensorflow": set(),
    "keras-torch": set(),
    # One token type, where keras-bert has 2.
    "keras-bert": {"untied", "roberta-base", "roberta-large", "distilroberta-base"},
    "torch": set(),
    "transformers": {"untied", "llama", "llama, tied"},
}
"""Of the families that can be expressed, by their names in ``MODELS``."""

FEATURES_REFUSED: dict[str, set[str]] = {
    "flax-linen": set(),
    "flax-nnx": set(),
    "keras-jax": set(),
    "keras-tensorflow": set(),
    "keras-torch": set(),
    "keras-bert": {"mlm untied", "L = 0, no pooler", "H = 1", "T = 1", "T = 3"},
    "torch": set(),
    "transformers": {
        "mlm",
        "mlm untied",
        "llama, A does not divide H",
        "llama, V = F = H = 1",
    },
}
"""Of the families that can be expressed, by their names in ``test_features.py``."""

REFUSED_OF_1000: dict[str, dict[str, int]] = {
    # No head and no layer: 1 in 4 times 1 in 5; and a hidden size of 1.
    "keras-bert": {"encoder": 57, "encoder-decoder": 1000, "gpt": 1000, "llama": 1000},
    # An MLM head with one of pooler and NSP head: 1 in 2 times 1 in 4. A width of its own that
    # the heads do not divide: less than 1 in 2.
    "transformers": {"encoder": 140, "encoder-decoder": 1000, "llama": 352},
}
"""Of 1,000 random specs of a family, with what the framework fixes; none where nothing is said."""


def refuses_family(framework: str, family: str) -> bool:
    """Whether the literals say that it refuses every model of the family.

    A framework from outside, of which they say nothing, refuses none.
    """
    return family in FAMILIES_REFUSED.get(framework, set())


def refuses_model(framework: str, name: str) -> bool:
    """Whether the literals say that it refuses the model of this name in ``MODELS``."""
    if refuses_family(framework, family_of(MODELS[name]).name):
        return True
    return name in MODELS_REFUSED.get(framework, set())


def families_left(framework: str, names: Iterable[str]) -> set[str]:
    """The families of the models of these names that it does not refuse."""
    left = (name for name in names if not refuses_model(framework, name))
    return {family_of(MODELS[name]).name for name in left}


def families_built(framework: str) -> set[str]:
    """The families that it does not refuse."""
    return {family for family in FAMILIES if not refuses_family(framework, family)}
