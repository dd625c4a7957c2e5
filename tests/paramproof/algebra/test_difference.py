"""What one model has more than another, in letters, by component."""

from paramproof.algebra.difference import components, told_apart
from paramproof.algebra.terms import Lettered
from paramproof.counting.letters import in_letters
from paramproof.formulas.expression import letter
from paramproof.resolver import resolve
from tests.derivations import MIXTURE, H, L, V, tensor, with_tensors

D, E, F, K = map(letter, "DEFK")


def lettered(derivation=MIXTURE):
    return Lettered(derivation.inventory(), derivation.sizes, fields=derivation.fields)


def differences(first, other):
    found = components(first, told_apart(first, other))
    return {one.path: one.difference for one in found if one.difference != 0}


def test_the_same():
    assert not differences(lettered(), lettered())


def test_by_component():
    """A norm of keys more in each layer, a pooler, and no scores; kinds are added up."""
    more = (tensor("model.layers.*.attention.k_norm", H, times=L), tensor("pooler.weight", H, H))
    other = lettered(with_tensors(*MIXTURE.tensors[:-1], *more))
    found = components(lettered(), told_apart(lettered(), other))
    by_path = {one.path: one for one in found}
    assert differences(lettered(), other) == {
        "model.layers.*.attention": L * H,
        "score": -letter("k") * H,
        "pooler": H**2,
    }
    assert by_path["score"].other is None
    assert by_path["pooler"].first is None
    total = other.named.total() - lettered().named.total()
    assert sum(one.difference for one in found) == total


def test_families():
    one, two = (in_letters(resolve(name)) for name in ("bert-base", "gpt2"))
    assert differences(one, two) == {
        "embeddings.token_type_embeddings": -letter("T") * H,
        "embeddings.layer_norm": -2 * H,
        "pooler": -(H**2) - H,
        "final_layer_norm": 2 * H,
    }


def test_names_of_two_kinds_are_put_together_in_groups():
    """A family's canonical paths, and native ones."""
    llama = in_letters(resolve("llama-3-8b"))
    found = {one.path: one for one in components(llama, told_apart(llama, lettered()))}
    assert list(found) == ["embeddings", "layers", "elsewhere", "heads"]
    assert found["embeddings"].difference == 0
    assert found["heads"].difference == letter("k") * H - V * H
    assert found["elsewhere"].difference == -H
    assert found["layers"].other == lettered().named.total() - V * H - letter("k") * H


def test_a_letter_that_is_another_size():
    """D is no letter of a family: where its field is another one it gets a prime. H is H."""
    fields = {**MIXTURE.fields, "D": "depth", "H": "d_model"}
    other = lettered(with_tensors(*MIXTURE.tensors, fields=fields))
    again = told_apart(lettered(), other)
    assert again.sizes["D'"] == 2
    assert again.fields["D'"] == "depth"
    assert "D" not in again.sizes
    assert again.named.total() == lettered().named.total().substitute({"D": letter("D'")})
    assert "H'" not in again.sizes
    assert set(differences(lettered(), other)) == {"model.layers.*.mlp"}
    assert told_apart(lettered(), lettered()).sizes == MIXTURE.sizes
