"""The cases of a family: every combination of parts, and the sizes for each."""

from dataclasses import replace
from itertools import pairwise

import sympy

from paramproof.formulas import FAMILIES
from paramproof.formulas.expression import letter
from paramproof.formulas.spec import INDICATOR, LAYERS, letter_kinds
from paramproof.verify.cases import fixed_in, supported_cases
from tests.cases import CASES, case_of, every_case
from tests.weight_lists import Lists


def test_every_combination_of_parts_once():
    numbers = {name: len(cases) for name, cases in CASES.items()}
    assert numbers == {"encoder": 9, "encoder-decoder": 16, "gpt": 2, "llama": 2}
    assert str(CASES["encoder"][0]) == "pooler + mlm + untied + nsp"
    assert str(CASES["encoder"][-1]) == "bare"
    for name, cases in CASES.items():
        kinds = letter_kinds(FAMILIES[name].letters)
        indicators = [letter for letter, kind in kinds.items() if kind == INDICATOR]
        assert len({tuple(case.parts[i] for i in indicators) for case in cases}) == len(cases)


def test_the_most_general_case_of_the_same_parts():
    """A LLaMA with an independent head size; two tables of any size."""
    llama, bare = case_of("llama", "untied").spec, case_of("encoder-decoder", "bare").spec
    assert llama.hidden_size != llama.num_attention_heads * llama.head_dim
    assert bare.vocab_size != bare.target_vocab_size
    assert (len(every_case("llama")), len(every_case("encoder-decoder"))) == (4, 24)


def test_the_next_case_if_the_most_general_is_refused():
    builder = Lists(refuses=lambda spec: spec.hidden_size % spec.num_attention_heads)
    untied, _ = supported_cases(builder, FAMILIES["llama"], {})
    assert untied.spec.hidden_size == untied.spec.num_attention_heads * untied.spec.head_dim
    assert untied.fields["hidden_size"] == "H"


def test_sizes_determine_the_spec():
    case = case_of("llama", "untied")
    assert case.spec.num_attention_heads % case.spec.num_key_value_heads == 0
    assert case.at(case.sizes) == case.spec
    wider = {**case.sizes, "H": 1000}
    assert case.at(wider) == replace(case.spec, hidden_size=1000)


def test_equal_fields_share_a_letter():
    shared = case_of("encoder-decoder", "shared")
    assert shared.fields["target_vocab_size"] == "V"
    assert letter("V") == shared.letters.U
    assert case_of("encoder-decoder", "bare").fields["target_vocab_size"] == "U"


def test_known_sizes_are_numbers():
    """Even if a size is known that is generic for another letter."""
    fixed = {"type_vocab_size": 2, "tie_word_embeddings": True}
    *_, bare = supported_cases(Lists(), FAMILIES["encoder"], fixed)
    assert (str(bare), bare.known, bare.spec.type_vocab_size) == ("bare", {"T": 2}, 2)
    assert (2, letter("A") * letter("K")) == (bare.letters.T, bare.letters.H)
    assert "T" not in bare.sizes
    assert bare.sizes["L"] == 2


def test_what_a_framework_fixes_are_fields_of_encoders():
    fixed = {"pooler": False}
    assert [fixed_in(family, fixed) for family in FAMILIES] == [fixed, *[{}] * (len(FAMILIES) - 1)]


def test_generic_sizes_cannot_be_confused():
    """They are different, and few for layers: building time grows with their number."""
    for name, cases in CASES.items():
        kinds = letter_kinds(FAMILIES[name].letters)
        layers = [letter for letter, kind in kinds.items() if kind == LAYERS]
        for case in cases:
            sizes = dict(case.sizes)
            assert [sizes.pop(one) for one in layers] == [2, 3][: len(layers)]
            assert len({*sizes.values()}) == len(sizes) >= 4
            assert min(sizes.values()) > 10
            products = {"H", "A", "K"}
            primes = sorted(sizes[one] for one in sizes.keys() - products)
            assert all(map(sympy.isprime, primes))
            # So none is the sum of two others, or twice one.
            assert all(2 * small < large for small, large in pairwise(primes))
