"""The difference of two models in letters, by component."""

import random
from contextlib import suppress

import pytest

from paramproof.catalogue import model_types
from paramproof.formulas.errors import NotInCatalogue
from paramproof.formulas.expression import letter
from paramproof.formulas.models import model_names
from paramproof.resolver import resolve
from paramproof.tables import markdown
from paramproof.views.difference import compared, difference_of, letters_beside
from tests.derivations import MIXTURE, H, L, tensor, with_tensors
from tests.json_schema import assert_document
from tests.notation import value


def differences(first, other):
    *found, (_, totals) = compared(first, other)
    by_path = {path: (b or 0) - (a or 0) for path, (a, b) in found}
    assert sum(by_path.values()) == totals[1] - totals[0]
    return {path: difference for path, difference in by_path.items() if difference != 0}


def test_by_component():
    """A further norm of keys in each layer, a pooler, and no scores; kinds are added up."""
    more = (tensor("model.layers.*.attention.k_norm", H, times=L), tensor("pooler.weight", H, H))
    other = with_tensors(*MIXTURE.tensors[:-1], *more)
    assert not differences(MIXTURE, MIXTURE)
    scores = letter("k") * H
    found = differences(MIXTURE, other)
    assert found == {"model.layers.*.attention": L * H, "score": -scores, "pooler": H**2}
    by_path = dict(compared(MIXTURE, other))
    assert by_path["score"] == [scores, None]
    assert by_path["pooler"] == [None, H**2]


PAIRS = [
    ("bert-base", "gpt2"),
    # Hugging Face's names are read as the family's canonical ones.
    ("bert-base", "bert"),
    ("gpt2", {"model_type": "gpt2", "n_inner": 3072}),
    ("llama-3-8b", "llama"),
    # Qwen 3 has LLaMA's tensors, and two norms in each attention.
    ("llama-3-8b", "qwen3"),
    # Layers are paired however their names begin.
    ("llama", "falcon"),
    ("LlamaModel", "Qwen3ForCausalLM"),
    ("BertForMaskedLM", "RobertaForMaskedLM"),
    ("qwen3", "qwen2_vl"),
    # Layers with nothing in common are grouped.
    ("llama-3-8b", "t5"),
    ("llama", "t5"),
    # One size has one letter, by name or by custom; one letter may stand for two customs.
    ("qwen3_moe", "mixtral"),
    ("llava", "blip-2"),
    ("deepseek_v3", "vit"),
    ("llama", "qwen2_vl"),
    ("llava", "qwen2_vl"),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_pairs(pair, snapshot):
    """The table of each, without the sizes of the models."""
    found = difference_of(*map(resolve, pair))
    table = found.table()
    names = [column.key for column in table.columns if column.key in ("component", "formula")]
    letters = sorted(f"{size.letter}: {', '.join(size.fields)}" for size in found.sizes)
    assert "\n".join([markdown(table.only(*names)), *letters]) == snapshot


def test_the_structure_and_the_sizes_add_up_to_the_difference(share):
    """For random pairs: in each row, in the total, and as the printed letters are read."""
    names, split = [*model_names(), *model_types()], 0
    draw, number = random.Random(share.number), share.of_examples(80)
    for _ in range(number):
        with suppress(NotInCatalogue):
            first, other = (resolve(draw.choice(names)) for _ in range(2))
            found = difference_of(first, other)
            own = first.sizes if found.split_of == first.title else {}
            assert found.split_at.items() <= {**found.split_at, **own}.items()
            assert_document(found.to_dict(), "difference")
            rows, total = found.to_dict()["rows"], found.to_dict()["total"]
            for row in (*rows, total):
                assert row["difference"] == (row["other"] or 0) - (row["first"] or 0)
                assert row["structure"] + row["sizes"] == row["difference"]
                assert value(row["formula"], found.split_at) == row["structure"]
            for part in ("structure", "sizes", "difference"):
                assert sum(row[part] for row in rows) == total[part]
            split += bool(total["structure"] and total["sizes"])
    assert split > number // 5


def test_a_difference_without_common_sizes_is_not_split():
    """H/2 is not a whole number at H = 3, nor is H/3 at H = 2."""
    fields = {"H": "hidden_size"}
    halved = [
        with_tensors(tensor("a.weight", H / n), sizes={"H": n}, fields=fields, conditions=())
        for n in (2, 3)
    ]
    found = difference_of(*(resolve(one) for one in halved))
    assert (found.split_of, found.total.structure, found.total.sizes) == ("", None, None)
    assert list(found.causes()) == [
        "not split into structure and sizes: the formulas have no sizes in common"
    ]


def test_a_letter_for_another_field_gets_a_prime():
    """A family has no letter D for this field, so it gets a prime; H is the same in both."""
    fields = {**MIXTURE.fields, "D": "depth", "H": "d_model"}
    other = with_tensors(*MIXTURE.tensors, fields=fields)
    assert letters_beside(MIXTURE, MIXTURE) == {name: name for name in MIXTURE.sizes}
    assert letters_beside(MIXTURE, other) == {name: name for name in MIXTURE.sizes} | {"D": "D'"}
    assert set(differences(MIXTURE, other)) == {"model.layers.*.mlp"}
    _, total = compared(MIXTURE, other)[-1][1]
    assert total == MIXTURE.formula.substitute({"D": letter("D'")})


def test_a_letter_that_is_taken_is_not_given_twice():
    """The other model's H2 is the first one's H, and its own H is another size."""
    other = with_tensors(
        *MIXTURE.tensors,
        tensor("extra.weight", letter("H2")),
        sizes={**MIXTURE.sizes, "H2": 5},
        fields={**MIXTURE.fields, "H2": MIXTURE.fields["H"], "H": "d_model"},
    )
    found = letters_beside(MIXTURE, other)
    assert (found["H2"], found["H"]) == ("H", "H'")
    _, total = compared(MIXTURE, other)[-1][1]
    assert total.substitute({"H": letter("H2"), "H'": H}) == other.formula
    apart = {one.letter: one for one in difference_of(*map(resolve, (MIXTURE, other))).sizes}
    assert apart["H"][1:] == (("hidden_size",), MIXTURE.sizes["H"], 5)
    assert apart["H'"][1:] == (("d_model",), None, MIXTURE.sizes["H"])
