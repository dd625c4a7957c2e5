"""``schema.json`` describes every key and every kind that the code writes, and can be closed."""

import ast
import json

import pytest
from jsonschema import Draft202012Validator

import paramproof
from docs.writers.blocks import ROOT
from paramproof.json_form import VERSION, document
from tests.json_schema import (
    assert_document,
    closed,
    definition,
    description,
    kinds,
    schema,
    subschemas,
)


def documents():
    """Yield the place of each call of ``document`` and the kind that it writes."""
    for path in sorted((ROOT / "paramproof").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "document":
                yield path.name, node.args[0]


def test_the_schema_is_valid():
    Draft202012Validator.check_schema(schema())


def test_the_kinds_agree_with_the_code():
    written = list(documents())
    assert all(isinstance(kind, ast.Constant) for _, kind in written), written
    assert sorted({kind.value for _, kind in written}) == sorted(kinds())


def test_the_version_agrees_with_the_code():
    assert schema()["$defs"]["version"]["const"] == VERSION
    assert schema()["title"].endswith(f"version {VERSION}")


def test_every_reference_has_a_definition_and_every_definition_is_used():
    used = [one["$ref"] for one in subschemas(schema()) if "$ref" in one]
    assert {one.removeprefix("#/$defs/") for one in used} == schema()["$defs"].keys()


def test_every_definition_and_key_is_described():
    """An optional key says when it is absent, and a required one is a key."""
    source = schema()
    assert all(one.get("description") for one in source["$defs"].values())
    for one in subschemas(source):
        keys, required = one.get("properties", {}), one.get("required", ())
        inherited = definition(one, source)["properties"] if keys and "$ref" in one else {}
        assert not keys or {*required} <= {*keys, *inherited}
        for key, value in keys.items():
            said = description(value, source)
            assert "const" in value or (said and (key in required or "bsent" in said)), key


@pytest.fixture(scope="module")
def count():
    return paramproof.count("bert-base").to_dict()


def faults(data, source):
    return list(Draft202012Validator(source).iter_errors(data))


def test_the_closed_schema_refuses_an_undescribed_key(count):
    tensor, *others = count["tensors"]
    assert not faults(count, closed(schema()))
    assert_document(count, "count")
    for later in (
        {**count, "later": 1},
        {**count, "published": {**count["published"], "later": 1}},
        {**count, "tensors": [{**tensor, "later": 1}, *others]},
    ):
        assert faults(later, closed(schema()))
        with pytest.raises(AssertionError, match="later"):
            assert_document(later, "count")


def test_the_closed_schema_refuses_a_key_inside_a_nullable_object():
    data = paramproof.explain(123_456_789, "gpt2").to_dict()
    assert_document(data, "explanation")
    with pytest.raises(AssertionError):
        assert_document({**data, "apart": {**data["apart"], "later": 1}}, "explanation")


def test_a_document_has_one_kind():
    assert not faults(document("models", {"models": []}), schema())
    assert faults(document("proof", {"models": []}), schema())


def test_the_schema_has_no_duplicate_key():
    def once(pairs):
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    text = (ROOT / "paramproof" / "schema.json").read_text("utf-8")
    json.loads(text, object_pairs_hook=once)
