"""The cases of a family: every combination of parts, and the sizes for each."""

import sympy

from paramproof.formulas import FAMILIES
from paramproof.formulas.expression import letter
from paramproof.formulas.spec import INDICATOR, letter_kinds
from paramproof.verify.cases import known_sizes, plain, supported_cases
from tests.cases import CASES, case_of, every_case
from tests.weight_lists import Lists


def test_every_combination_of_parts_once():
    assert {name: len(cases) for name, cases in CASES.items()} == {
        "encoder": 9,
        "encoder-decoder": 16,
        "gpt": 2,
        "llama": 2,
    }
    assert str(CASES["encoder"][0]) == "pooler + mlm + untied + nsp"
    assert str(CASES["encoder"][-1]) == "bare"
    for name, cases in CASES.items():
        kinds = letter_kinds(FAMILIES[name].letters)
        indicators = [letter for letter, kind in kinds.items() if kind == INDICATOR]
        assert len({tuple(case.parts[i] for i in indicators) for case in cases}) == len(cases)


def test_the_most_general_case_of_the_same_parts():
    """A LLaMA with an independent head size; two tables of any size."""
    assert "hidden_size" in case_of("llama", "untied").free
    assert "target_vocab_size" in case_of("encoder-decoder", "bare").free
    assert "target_vocab_size" not in case_of("encoder-decoder", "shared").free
    assert (len(every_case("llama")), len(every_case("encoder-decoder"))) == (4, 24)


def test_the_next_case_if_the_most_general_is_refused():
    builder = Lists(refuses=lambda spec: spec.hidden_size % spec.num_attention_heads)
    untied, _ = supported_cases(builder, FAMILIES["llama"], {})
    assert "hidden_size" not in untied.free
    assert untied.fields["hidden_size"] == "H"


def test_sizes_determine_the_spec():
    case = case_of("llama", "untied")
    spec = case.spec({name: number for number, name in enumerate(case.free, 2)})
    assert spec.num_attention_heads == spec.num_key_value_heads * 6
    assert plain(case.of_fields(case.in_numbers({}))) == case.generic_spec({})


def test_equal_fields_share_a_letter():
    assert case_of("encoder-decoder", "shared").fields["target_vocab_size"] == "V"
    assert case_of("encoder-decoder", "bare").fields["target_vocab_size"] == "U"


def test_known_sizes_are_numbers():
    fixed = {"type_vocab_size": 2, "tie_word_embeddings": True}
    assert known_sizes(fixed, FAMILIES["encoder"]) == {"type_vocab_size": 2}
    letters = case_of("encoder", "bare").symbols({"type_vocab_size": 2})
    assert (2, letter("A") * letter("K")) == (letters.T, letters.H)


def test_generic_sizes_cannot_be_confused():
    """They are different primes, few for layers: building time grows with their number."""
    for case in (case for cases in CASES.values() for case in cases):
        sizes = case.sizes.values()
        assert all(sympy.isprime(size) for size in sizes)
        assert len(set(sizes)) == len(sizes) >= 6
    deep = case_of("encoder-decoder", "learned + bias + untied")
    assert sorted(deep.sizes[name] for name in deep.layers) == [2, 3]
