"""The page of JSON: the kinds of JSON with their keys, from the schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from docs.writers.blocks import place
from paramproof.tables import markdown_rows
from tests.json_schema import definition, description, has_keys, kinds, schema

WORDS = {"integer": "int", "number": "float", "string": "text", "boolean": "bool", "array": "list"}
"""The page's names for types of JSON Schema, where they are others."""

IN_EVERY_DOCUMENT = ("paramproof", "kind")
DEFINITIONS: dict[str, dict[str, Any]] = schema()["$defs"]

Row: TypeAlias = tuple[str, str, str]


@place("kinds", "json")
def _kinds() -> str:
    rows = ((f"[{kind}](#{kind})", description(DEFINITIONS[kind], schema())) for kind in kinds())
    return markdown_rows(["kind", "what it is"], rows)


@place("keys", "json")
def _keys() -> str:
    others = (one for one in DEFINITIONS if one not in kinds() and _has_section(one))
    return "\n\n".join(map(_section, (*kinds(), *others)))


def _has_section(name: str) -> bool:
    """Return whether a definition has a section, to which its uses link."""
    one = DEFINITIONS[name]
    return has_keys(one, schema()) or "prefixItems" in one.get("items", {})


def _section(name: str) -> str:
    one = DEFINITIONS[name]
    rows = [*_rows(one, "", IN_EVERY_DOCUMENT if name in kinds() else ())]
    said = description(one, schema())
    if "$ref" in one:
        said += f" It has the keys of {_link(one)}" + (", and these:" if rows else ".")
    below = [markdown_rows(["key", "type", "meaning"], rows)] if rows else []
    return "\n\n".join([f"### {name}", said, *below])


def _rows(one: dict[str, Any], path: str, but: Sequence[str] = ()) -> Iterator[Row]:
    """Yield a row for each key of an object and of the anonymous objects inside it."""
    for key, value in one.get("properties", {}).items():
        if key not in but:
            yield f"`{path}{key}`", _type(value), description(value, schema())
            yield from _inside(value, f"{path}{key}")


def _inside(value: dict[str, Any], path: str) -> Iterator[Row]:
    yield from _rows(value, f"{path}.")
    if isinstance(items := value.get("items"), dict):
        yield from _inside(items, f"{path}[]")
    if isinstance(values := value.get("additionalProperties"), dict):
        yield from _inside(values, f"{path}.NAME")
    for choice in value.get("anyOf", ()):
        yield from _inside(choice, path)


def _type(value: dict[str, Any]) -> str:
    if "$ref" in value:
        named = _has_section(value["$ref"].removeprefix("#/$defs/"))
        return _link(value) if named else _type(definition(value, schema()))
    if "enum" in value:
        return "text"
    if choices := value.get("anyOf") or value.get("oneOf"):
        return " or ".join(map(_type, choices))
    if isinstance(value["type"], list):
        return " or ".join(_type({**value, "type": one}) for one in value["type"])
    if "prefixItems" in value:
        return f"[{', '.join(map(_type, value['prefixItems']))}]"
    items, values = value.get("items"), value.get("additionalProperties")
    if value["type"] == "array" and isinstance(items, dict):
        return f"list of {_type(items)}"
    if value["type"] == "object" and isinstance(values, dict) and "properties" not in value:
        return f"object of {_type(values)}"
    return WORDS.get(value["type"], str(value["type"]))


def _link(one: dict[str, Any]) -> str:
    name = one["$ref"].removeprefix("#/$defs/")
    return f"[{name}](#{name})"
