"""Read configurations that other programs write as keys of today's transformers.

``spellings.toml`` describes each program: how to recognise its files, what its keys are called in
transformers, and which of them change the model. A file that no program describes exactly is
refused, with the key. Files of other kinds, such as a tokenizer's, are named for what they are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from paramproof.catalogue.configuration import named_class
from paramproof.catalogue.names import has_type, model_types, type_with_class
from paramproof.catalogue.unknown_keys import is_misspelt
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import legible, shown
from paramproof.resolver.names import same_name

Keys = Mapping[str, Any]

LISTED = ("names", "ignored", "unset", "absent")
"""The lists of keys that are known to a program."""

NO_TYPE = "model_type is missing"


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("spellings.toml").read_text("utf-8"))


def as_transformers(keys: Keys) -> tuple[Keys, tuple[str, ...]]:
    """Return the keys of a configuration with a ``model_type``, and notes on how they were read.

    Raises ``InvalidInput`` for a file that does not decide the model, or that is of another kind.
    """
    given = keys.get("model_type")
    if not isinstance(given, str | None):
        problem = f"model_type={shown(given)} is not a model type of transformers"
        raise InvalidInput(problem, key="model_type")
    if given is not None and (given in model_types() or has_type(given)):
        return keys, ()
    if given is None and (class_name := named_class(keys)):
        if found := type_with_class(class_name):
            return {**keys, "model_type": found}, ()
        problem = f"{NO_TYPE}, and no class of transformers is named {shown(class_name)}"
        raise InvalidInput(problem, key="model_type")
    for key in keys if given is None else ():
        if is_misspelt(key, "model_type"):
            raise InvalidInput(f"{shown(key)} is not a key: did you mean 'model_type'?", key=key)
    if program := _program(keys):
        return _translated(program, keys), (_note(program),)
    if given is None:
        problem = f"{NO_TYPE}: add it for a config.json of transformers, or a family for a spec"
        raise InvalidInput(kind_of(keys) or problem, key="model_type")
    if same := same_name(given, model_types()):
        return {**keys, "model_type": same}, (f"model_type {shown(given)} is read as {same}",)
    return keys, ()


def kind_of(keys: Keys, file: str = "") -> str:
    """Return what a file is that is no configuration, and what to give instead, or ""."""
    for kind in _data()["kind"]:
        signs = (sign.split() for sign in kind.get("signs", ()))
        is_one = "vocab_size" not in keys and any(keys.keys() >= {*sign} for sign in signs)
        if is_one or file.endswith(tuple(kind.get("files", ()))):
            base = keys.get(kind.get("base", ""))
            which = f" {legible(base)}" if isinstance(base, str) else ""
            return f"{kind['what']}: {kind['instead']}{which}"
    return ""


def _programs() -> Iterator[dict[str, Any]]:
    for program in _data()["program"]:
        for variant in program.get("variant", ({},)):
            yield {**program, **variant}


def _program(keys: Keys) -> dict[str, Any] | None:
    """Return the program that wrote a file, or None if no program has its keys.

    Raises ``InvalidInput`` for the fewest keys with which no variant of a program agrees.
    """
    tried = []
    for program in _programs():
        is_named_so = keys.get("model_type") in (None, program.get("calls_itself"))
        has_one = any(key in keys for key in program.get("any_of", keys))
        if is_named_so and has_one and keys.keys() >= {*program["signs"]}:
            problems = [*_problems(program, keys)]
            if not problems:
                return program
            tried.append(problems)
    if tried:
        raise min(tried, key=len)[0]
    return None


def _problems(program: dict[str, Any], keys: Keys) -> Iterator[InvalidInput]:
    """Yield why a program's model is not the one that a file describes."""
    title, given = program["title"], _given(program, keys)

    def problem(key: str, what: str, instead: str) -> InvalidInput:
        return InvalidInput(f"{key}={shown(given[key])} {what} in {title}: {instead}", key=key)

    others = _data()["other_models"] if program.get("is_early") else {}
    for key in filter(keys.__contains__, others):
        meant = f"{NO_TYPE}, and {key}={shown(keys[key])} could mean {others[key]}"
        yield InvalidInput(f"{meant}: add the model_type", key="model_type")
    where = program.get("where", {})
    for key in (key for key in where if given[key] != where[key]):
        yield problem(key, "changes the model", f"{program['model_type']} has {shown(where[key])}")
    for key in filter(given.get, program.get("unset", ())):
        yield problem(key, "changes the model", "give a config.json of transformers")
    for key in program.get("needs", ()):
        if type(size := given.get(key)) is not int or size < 1:
            hint = program.get("hints", {}).get(key, "write it")
            what = "is missing" if size is None else f"{shown(size)} is not a size"
            yield InvalidInput(f"{key} {what} in {title}: {hint}", key=key)
    known = {"model_type"}.union(*(program.get(name, ()) for name in LISTED))
    for key in given.keys() - known if program["others"] == "refused" else ():
        yield problem(key, "may change the model", "give a config.json of transformers")


def _given(program: dict[str, Any], keys: Keys) -> dict[str, Any]:
    """Return the keys that a file gives, those in blocks by path, and what absent ones mean."""
    found = dict(program.get("absent", {}))
    for key, value in keys.items():
        if key in program.get("blocks", ()) and isinstance(value, Mapping):
            found |= {f"{key}.{name}": inner for name, inner in value.items()}
        elif value is not None:
            found[key] = value
    return found


def _translated(program: dict[str, Any], keys: Keys) -> dict[str, Any]:
    """Return the keys of transformers for the keys that a program wrote."""
    given, names = _given(program, keys), program.get("names", {})
    found: dict[str, Any] = {}
    for key, value in given.items():
        is_kept = program["others"] == "kept" and key not in program.get("ignored", ())
        if key not in names and not is_kept:
            continue
        name = names.get(key, key)
        if found.setdefault(name, value) != value:
            problem = f"{key}={shown(value)} and {name}={shown(found[name])} differ"
            raise InvalidInput(f"{problem}: transformers has no such model", key=key)
    for name in program.get("computed", {}).keys() - found.keys():
        try:
            value = RULES[program["computed"][name]](given)
        except (TypeError, ValueError, ArithmeticError):
            problem = f"{name} cannot be computed, since a key of {program['title']} is not a size"
            raise InvalidInput(problem, key=name) from None
        found |= {} if value is None else {name: value}
    return {**program.get("defaults", {}), **found, "model_type": program["model_type"]}


def _note(program: dict[str, Any]) -> str:
    remark = f"; {program['remark']}" if "remark" in program else ""
    return f"read as {program['model_type']}: the keys are those of {program['title']}{remark}"


def _four_times(given: Keys) -> int | None:
    hidden = given.get("hidden_size", given.get("emb_size"))
    return 4 * hidden if isinstance(hidden, int) else None


def _gated_width(given: Keys) -> int:
    """Two thirds of 4·dim, times a factor, rounded up to a multiple."""
    width = int(given.get("ffn_dim_multiplier", 1) * (8 * given["dim"] // 3))
    return width + -width % int(given["multiple_of"])


def _megatron_width(given: Keys) -> int:
    """Two thirds of 4·hidden_size, rounded down to a multiple of 64."""
    return 8 * int(given["hidden_size"]) // 3 // 64 * 64


def _padded_vocabulary(given: Keys) -> int:
    size = int(given["vocab_size"])
    return size + -size % int(given["pad_vocab_size_multiple"])


RULES: dict[str, Callable[[Keys], Any]] = {
    "four_times": _four_times,
    "gated_width": _gated_width,
    "megatron_width": _megatron_width,
    "padded_vocabulary": _padded_vocabulary,
    "head_width": lambda given: given["hidden_size"] // given["num_attention_heads"],
    "query_groups": lambda given: (
        given.get("num_query_groups", 1)
        if given["group_query_attention"]
        else given["num_attention_heads"]
    ),
    "state_space_heads": lambda given: (
        given["ssm_cfg.expand"] * given["d_model"] // given["ssm_cfg.headdim"]
    ),
    "tied": lambda given: not given.get("untie_embeddings_and_output_weights"),
}
"""How keys of transformers are computed from those of a program, by the names in the data."""
