"""What ``derive --json`` wrote is a model: counted, compared, and refused if it was changed."""

import json

import pytest

import paramproof
from paramproof.catalogue import entry
from paramproof.formulas.derivation_data import derivation_data
from paramproof.formulas.errors import InvalidInput
from paramproof.json_form import document
from paramproof.resolver import resolve
from paramproof.resolver.lookup import read_request
from tests.derivations import MIXTURE, NUMBER


def written(derivation=MIXTURE):
    return json.loads(json.dumps(document("derivation", derivation_data(derivation))))


def test_a_document_is_the_derivation(tmp_path):
    file = tmp_path / "mixture.json"
    file.write_text(json.dumps(written()))
    request = read_request(str(file))
    assert derivation_data(request.architecture) == derivation_data(MIXTURE)
    assert paramproof.count(str(file)).total == paramproof.count(written()).total == NUMBER
    (source,) = (line for line in resolve(str(file)).origin() if line.startswith("formula"))
    assert source == f"formula: {MIXTURE.name}, derived before (transformers 5, torch 2): proved"


def test_a_document_equals_the_catalogue():
    found = entry({"model_type": "mixtral"})
    difference = paramproof.diff(written(found.derivation), "mixtral").to_dict()
    assert {row["difference"] for row in difference["rows"]} == {0}
    assert difference["total"]["first"] == found.count


def test_keys_of_a_later_release_are_ignored():
    assert paramproof.count({**written(), "note": 1}).total == NUMBER


CHANGED = "is not a derivation in the form of this release: derive the model again"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"paramproof": 2}, "has the JSON form 2, and this release reads 1"),
        ({"parameters": NUMBER + 1}, f"{CHANGED} (its tensors do not give what parameters says)"),
        ({"status": "fitted"}, f"{CHANGED} (its tensors do not give what status says)"),
        ({"fixed": {"A": 1}}, f"{CHANGED} (its tensors do not give what status says)"),
        # The form before the first release.
        ({"tensors": [{"path": "a.weight", "shape": ["H"]}]}, CHANGED),
        ({"conditions": [{"holds_where": "A divides H"}]}, CHANGED),
        ({"tensors": {"a.weight": "H +"}}, CHANGED),
        ({"tensors": {"a.weight": 5}}, CHANGED),
        ({"tensors": {"a.weight": "Z"}}, CHANGED),
        ({"conditions": {"A divides H": "no"}}, CHANGED),
        ({"sizes": {"H": 8}}, CHANGED),
        ({"sizes": None}, CHANGED),
        ({"sizes": {**MIXTURE.sizes, "H": 8.0}}, CHANGED),
        ({"sizes": {**MIXTURE.sizes, "H": -8}}, CHANGED),
        ({"sizes": {**MIXTURE.sizes, "H": "8"}}, CHANGED),
        ({"ties": {"model.embed_tokens.weight": [5]}}, CHANGED),
        ({"doubts": [5]}, CHANGED),
        ({"inert": ["Z"]}, CHANGED),
        ({"evidence": {}}, CHANGED),
        ({"validated": "H"}, f"{CHANGED} (its tensors do not give what validated says)"),
    ],
)
def test_a_changed_document_is_refused(changes, said):
    with pytest.raises(InvalidInput) as caught:
        read_request({**written(), **changes})
    assert str(caught.value).endswith(said)
