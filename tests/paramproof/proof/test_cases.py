"""The cases of a family: every combination of parts, the sizes for each, and one polynomial."""

from paramproof.formulas import FAMILIES, closed_form
from paramproof.formulas.expression import letter
from paramproof.formulas.spec import INDICATOR, letter_kinds
from paramproof.proof.cases import plain, supported_cases
from paramproof.proof.indicator_basis import polynomial_in_indicators
from paramproof.proof.interpolation import in_own
from tests.cases import CASES, case_of, every_case, letters_of
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
    assert plain(case.of_fields(case.in_numbers({}))) == plain(case.spec(case.sizes))


def test_equal_fields_share_a_letter():
    assert case_of("encoder-decoder", "shared").fields["target_vocab_size"] == "V"
    assert case_of("encoder-decoder", "bare").fields["target_vocab_size"] == "U"


def test_known_sizes_are_numbers():
    letters = case_of("encoder", "bare").symbols({"type_vocab_size": 2})
    assert (2, letter("A") * letter("K")) == (letters.T, letters.H)


def test_free_sizes_are_printed_in_letters():
    case = case_of("llama", "untied")
    free = closed_form(case.letters)
    assert free.letters >= {"queries_per_key", "pairs_per_head"}
    assert in_own(case, free) == closed_form(case.symbols({}))


def test_interpolation_over_parts():
    """Nine values of the closed form determine it; fewer values determine fewer parts."""
    cases = CASES["encoder"]
    values = {case: closed_form(case.symbols({})) for case in cases}
    whole = closed_form(letters_of("encoder"))
    assert polynomial_in_indicators(values) == whole
    tied = whole.substitute({"untied": 0})
    # In keras-bert; and in Hugging Face, which has an MLM head only with both or neither.
    six = [case for case in cases if not case.parts["untied"]]
    five = [c for c in six if not c.parts["mlm"] or c.parts["pooler"] == c.parts["nsp"]]
    assert (len(six), len(five)) == (6, 5)
    for some in (six, five):
        assert polynomial_in_indicators({case: values[case] for case in some}) == tied


def test_generic_numbers_of_layers_are_small_and_distinct():
    """Building time grows with the number of layers, and stacks of equal depth look the same."""
    case = case_of("encoder-decoder", "learned + bias + untied")
    assert sorted(case.sizes[name] for name in case.layers) == [2, 3]
