"""The JSON Schema of ``paramproof/schema.json``, as published and closed, and its violations."""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from importlib.resources import files
from typing import Any

from jsonschema import Draft202012Validator


@cache
def schema() -> dict[str, Any]:
    return json.loads(files("paramproof").joinpath("schema.json").read_text("utf-8"))


def places(one: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield each container of schemas right inside a schema, with a key or an index in it."""
    for keyword, value in one.items():
        if keyword in ("properties", "$defs"):
            yield from ((value, name) for name in value)
        elif keyword in ("oneOf", "anyOf", "prefixItems"):
            yield from ((value, number) for number in range(len(value)))
        elif keyword in ("items", "additionalProperties") and isinstance(value, dict):
            yield one, keyword


def subschemas(one: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield one
    for container, key in places(one):
        yield from subschemas(container[key])


def closed(source: dict[str, Any]) -> dict[str, Any]:
    """Return the schema in which an object may only have described keys.

    Objects are closed where they are used, so that a definition can add keys to another one.
    """
    found = deepcopy(source)
    for one in [*subschemas(found)]:
        for container, key in places(one):
            if container is not found["$defs"] and has_keys(container[key], found):
                container[key]["unevaluatedProperties"] = False
    return found


def has_keys(one: dict[str, Any], source: dict[str, Any]) -> bool:
    return "properties" in one or ("$ref" in one and has_keys(definition(one, source), source))


def definition(one: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    return source["$defs"][one["$ref"].removeprefix("#/$defs/")]


def description(one: dict[str, Any], source: dict[str, Any]) -> str:
    if "description" in one or "$ref" not in one:
        return str(one.get("description", ""))
    return description(definition(one, source), source)


def kinds() -> list[str]:
    return [definition(one, schema())["properties"]["kind"]["const"] for one in schema()["oneOf"]]


@cache
def _validator(kind: str) -> Draft202012Validator:
    """Return a validator for one kind: its errors are easier to read than those for all kinds."""
    strict = closed(schema())
    chosen = {"$ref": f"#/$defs/{kind}", "unevaluatedProperties": False}
    return Draft202012Validator({"$defs": strict["$defs"], **chosen})


def assert_document(data: dict[str, Any], kind: str) -> None:
    assert data["kind"] == kind
    # Serialise first: tuples become arrays and keys become text, as in what users read.
    assert json.loads(json.dumps(data)) == data
    wrong = _validator(kind).iter_errors(data)
    assert not (messages := [f"{one.json_path}: {one.message:.300}" for one in wrong]), "\n".join(
        messages
    )
