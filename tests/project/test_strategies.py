"""The strategies reach the corner cases within the number of examples that CI runs."""

from dataclasses import asdict, astuple

import pytest
from hypothesis import find, given, settings

from paramproof.formulas import EncoderLetters, EncoderSpec
from paramproof.verify.cases import refusal
from tests.profiles import PROFILES
from tests.strategies import encoder_specs, random_specs, specs, supported_specs


class Everything:
    """A builder that supports every spec."""

    @staticmethod
    def supports(spec):
        return True


class Layered:
    """A builder that needs a layer."""

    @staticmethod
    def supports(spec):
        return True if spec.num_hidden_layers else "needs a layer"


# So many that a corner reached once in ten times does not depend on the examples: Hypothesis also
# draws constants that it finds in the modules of the working directory.
EXAMPLES = 100


def draw_examples(strategy):
    """Return examples as in CI's profile; each test there has its own, and fewer."""
    specs = []

    @settings(settings.get_profile("default"), **PROFILES["ci"] | {"max_examples": EXAMPLES})
    @given(strategy)
    def collect(spec):
        specs.append(spec)

    collect()
    return specs


CORNERS = {
    "encoder": """
        A == 1 | A == H | A == H > 1 | L == 0 | L == 1 | F != 4*H | F < H | V < H | V > H
        | H*F*V % 2 | len({L, H, A, F, V, P, T}) == 7 | not pooler
        | mlm_head and tie_word_embeddings | not tie_word_embeddings | mlm_head and nsp_head""",
    "encoder-decoder": """
        N != M | N == 0 < M | M == 0 < N | V != U | V == U and not shared | A == 1 | H % 2
        | shared and tie_word_embeddings | shared and not tie_word_embeddings
        | not shared and tie_word_embeddings | not shared and not tie_word_embeddings
        | learned | not learned | not bias""",
    "gpt": "tie_word_embeddings | not tie_word_embeddings | L == 0 | A == 1 | A == H | F != 4*H",
    "llama": """
        tie_word_embeddings | not tie_word_embeddings | L == 0 | G == A > 1 | G == 1 < A
        | 1 < G < A | A*K == H | A*K != H | H % 2 | K == 2""",
}
"""Conditions on the letters and the fields of a spec."""

EXAMPLES_OF = {
    (family, source): draw()
    for family in CORNERS
    for source, draw in (
        ("hypothesis", lambda family=family: draw_examples(specs(family))),
        ("seed", lambda family=family: random_specs(Everything, EXAMPLES, 0, family)),
    )
}


@pytest.mark.parametrize("source", ["hypothesis", "seed"])
@pytest.mark.parametrize(
    ("family", "corner"),
    [(family, one.strip()) for family, found in CORNERS.items() for one in found.split("|")],
)
def test_reaches_every_corner(source, family, corner):
    examples = EXAMPLES_OF[family, source]
    names = ({**asdict(one), **one.letters()._asdict()} for one in examples)
    assert any(eval(corner, own) for own in names), f"none of {len(examples)} examples"


def test_every_family_shrinks_to_its_smallest(family):
    smallest = find(specs(family), lambda spec: spec.vocab_size > 1)
    sizes = [size for size in astuple(smallest) if type(size) is int]
    assert set(sizes) <= {0, 1, 2}
    assert smallest.tie_word_embeddings


def test_a_family_that_is_refused():
    class Encoders:
        supports = staticmethod(
            lambda spec: True if type(spec) is EncoderSpec else f"no {type(spec).__name__}"
        )

    assert refusal(Everything, "gpt") == refusal(Layered, "llama") == ""
    assert refusal(Encoders, "encoder") == ""
    assert refusal(Encoders, "gpt") == "no GPTSpec"


def test_the_first_spec_of_seed_0():
    """A literal: the seed means the same on every machine and in every version of Python."""
    (spec,) = random_specs(Everything, 1, 0)
    assert spec.letters() == EncoderLetters(
        **{"L": 3, "H": 7, "A": 7, "F": 133, "V": 524, "P": 63, "T": 4},
        **{"pooler": 1, "mlm": 1, "untied": 1, "nsp": 0},
    )


def test_a_builder_that_refuses_everything_is_named():
    class Nothing:
        supports = staticmethod(lambda spec: "never")

    with pytest.raises(ValueError, match="hardly any random spec can be expressed: never"):
        random_specs(Nothing, 1, 0)


def test_fixed_fields_are_constructed():
    fixed = {"type_vocab_size": 2, "tie_word_embeddings": True, "mlm_head": True}
    for spec in [*draw_examples(encoder_specs(**fixed)), *random_specs(Everything, 50, 0, **fixed)]:
        assert (spec.type_vocab_size, spec.tie_word_embeddings, spec.mlm_head) == (2, True, True)


def test_refused_specs_are_not_drawn():
    specs = [*draw_examples(supported_specs(Layered)), *random_specs(Layered, 50, 0)]
    assert len(specs) == EXAMPLES + 50
    assert all(spec.num_hidden_layers for spec in specs)
