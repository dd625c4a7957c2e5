"""Read what other programs and other people write, as keys and names that paramproof has.

Configurations: ``spellings.toml`` describes each program that writes them: how to recognise its
files, what its keys are called in transformers, and which of them change the model. A file that no
program describes exactly is refused, with the key.

Names: one from the Hub, from ollama or from prose means a model if both are equal once they are
folded, and words that change no size are left out (``names.toml``). Nothing is guessed: a name
without a size, or with another one, is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from paramproof.catalogue.names import has_type, model_types, named_class, type_with_class
from paramproof.formulas.errors import InvalidInput, canonical_name
from paramproof.formulas.printing import MAX_PATH_SHOWN, shown
from paramproof.key_names import is_misspelt
from paramproof.sources import data_file
from paramproof.sources.tensor_names import kind_of

Keys = Mapping[str, Any]

SPELLINGS, NAMES = "resolver/spellings.toml", "resolver/names.toml"

NO_TYPE = "model_type is missing"

HUB = (
    r"((https?://)?(www\.)?(huggingface\.co|hf\.co|ollama\.com/library)/)?"
    r"(?P<name>(\w[\w.-]*/)?[\w.-]+(:[\w.-]+)?)"
    r"(/(blob|raw|resolve|tree)/[\w.-]+(/config\.json)?)?/?(\?\S*)?"
)
"""A name, or a URL, of the Hugging Face Hub or of ollama: ``hf.co/Qwen/Qwen3-8B``."""


@lru_cache(4096)
def folded(name: str) -> str:
    """Return a name for comparison: ``llama-3.1-8b`` for ``Llama3.1:8b`` and ``Llama 3.1 8B``."""
    parts = re.split(r"[\s_:-]+", name.casefold().strip())
    return "-".join(re.sub(r"^([^\W\d]+)(?=\d)", r"\1-", part) for part in parts)


def without_owner(text: str) -> str:
    """Return what a name or a URL of the Hub names, without its owner; other text as it is."""
    found = re.fullmatch(HUB, text)
    return found["name"].rpartition("/")[2] if found else text


def model_meant(text: str, names: Iterable[str]) -> str:
    """Return the one of ``names``, those of models, that ``text`` means, or ""."""
    if len(text) > MAX_PATH_SHOWN:
        return ""
    known = {folded(one): one for one in names} | data_file(NAMES)["also"]
    name, last = folded(without_owner(text)), ""
    while name != last:
        last = name
        for word in ["(?!)", *data_file(NAMES)["words"]]:
            name = re.sub(word, "", name)
            if name in known:
                return str(known[name])
    return ""


def as_transformers(keys: Keys) -> tuple[Keys, tuple[str, ...]]:
    """Return the keys of a configuration with a ``model_type``, and notes on how they were read."""
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
        if isinstance(key, str) and is_misspelt(key, "model_type"):
            raise InvalidInput(f"{shown(key)} is not a key: did you mean 'model_type'?", key=key)
    if program := _program(keys):
        remark = f"; {program['remark']}" if "remark" in program else ""
        read = f"read as {program['model_type']}: the keys are those of {program['title']}{remark}"
        return _translated(program, keys), (read,)
    if given is None:
        problem = f"{NO_TYPE}: add it for a config.json of transformers, or a family for a spec"
        raise InvalidInput(kind_of(keys) or problem, key="model_type")
    if same := canonical_name(given, model_types(), folded):
        return {**keys, "model_type": same}, (f"model_type {shown(given)} is read as {same}",)
    return keys, ()


def _program(keys: Keys) -> dict[str, Any] | None:
    """Return the program that wrote a file; refuse the fewest keys that no variant agrees with."""
    tried = []
    for one in data_file(SPELLINGS)["program"]:
        if keys.get("model_type") not in (None, one.get("calls_itself")):
            continue
        for program in ({**one, **variant} for variant in one.get("variant", ({},))):
            has_one = not keys.keys().isdisjoint(program.get("any_of", keys))
            if has_one and keys.keys() >= {*program["signs"]}:
                tried.append((program, [*_problems(program, keys)]))
    fitting, problems = min(tried, key=lambda found: len(found[1]), default=(None, ()))
    if problems:
        raise problems[0]
    return fitting


def _problems(program: dict[str, Any], keys: Keys) -> Iterator[InvalidInput]:
    """Yield why a program's model is not the one that a file describes."""
    title, given = program["title"], _given(program, keys)

    def problem(key: str, what: str, instead: str) -> InvalidInput:
        return InvalidInput(f"{key}={shown(given[key])} {what} in {title}: {instead}", key=key)

    others = data_file(SPELLINGS)["other_models"] if program["others"] == "kept" else {}
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
    lists = "names", "ignored", "unset", "absent"
    known = {"model_type"}.union(*(program.get(name, ()) for name in lists))
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
            found[name] = RULES[program["computed"][name]](given)
        except (TypeError, ValueError, ArithmeticError):
            problem = f"{name} cannot be computed, since a key of {program['title']} is not a size"
            raise InvalidInput(problem, key=name) from None
    return {**program.get("defaults", {}), **found, "model_type": program["model_type"]}


def _rounded_up(size: Any, multiple: Any) -> Any:
    return size + -size % multiple


RULES: dict[str, Callable[[Keys], Any]] = {
    "four_times": lambda keys: 4 * keys.get("emb_size", keys.get("hidden_size")),
    # Meta: two thirds of 4·dim, times a factor. Megatron: rounded down to a multiple of 64.
    "gated_width": lambda keys: _rounded_up(
        int(keys.get("ffn_dim_multiplier", 1) * (8 * keys["dim"] // 3)), keys["multiple_of"]
    ),
    "megatron_width": lambda keys: 8 * keys["hidden_size"] // 3 // 64 * 64,
    "head_width": lambda keys: keys["hidden_size"] // keys["num_attention_heads"],
    "query_groups": lambda keys: keys[
        "num_query_groups" if keys["group_query_attention"] else "num_attention_heads"
    ],
    "tied": lambda keys: not keys.get("untie_embeddings_and_output_weights"),
    "padded_vocabulary": lambda keys: _rounded_up(
        keys["vocab_size"], keys["pad_vocab_size_multiple"]
    ),
    "state_space_heads": lambda keys: (
        keys["ssm_cfg.expand"] * keys["d_model"] // keys["ssm_cfg.headdim"]
    ),
}
"""How keys of transformers are computed from those of a program, by the names in the data."""
