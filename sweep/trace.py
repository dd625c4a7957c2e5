"""Trace the classes of the model types of the installed transformers, each type in a process."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import Any

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.tracing.configuration.models import module_of
from paramproof.tracing.configuration.nodes import (
    FORMAT,
    Data,
    decoded,
    encoded,
    paths_in,
    values_in,
)
from paramproof.tracing.configuration.rules import config_classes, parts_in, rules_of
from sweep.library.model_types import classes_of_type
from sweep.pool import OutOfTime, Result, reason, run_in_processes

Failures = dict[str, str]


def traced(
    types: Sequence[str], seconds: float
) -> Iterator[tuple[str, Data | None, Failures, float]]:
    """Trace model types; yield each with its file, the classes that failed, and the seconds.

    The file is None if the type's own configuration class could not be traced.
    """
    for name, result, took in run_in_processes(types, work, seconds):
        file = decoded(result["file"], []) if "file" in result else None
        yield name, file, result["failed"], took


def work(model_type: str, _: float, result: Result) -> None:
    if file := file_of(model_type, result["failed"]):
        result["file"] = encoded(file, {})


def file_of(model_type: str, failed: Failures) -> Data | None:
    """Return the file of a model type, and note the classes that cannot be traced."""
    kind = CONFIG_MAPPING[model_type]
    rules = {kind.__name__: attempt(kind.__name__, failed, rules_of, kind)}
    if not rules[kind.__name__]:
        return None
    data: Data = {
        "format": FORMAT,
        "type": model_type,
        "versions": {"transformers": transformers.__version__},
        "configurations": rules,
        "models": {},
    }
    # These have a file of their own.
    known = {one.__name__ for one in CONFIG_MAPPING.values()}
    left = [*parts_in(values_in(data))]
    while left:
        name = left.pop()
        if name in rules or name in failed or name in known:
            continue
        if found := attempt(name, failed, rules_of, config_classes()[name]):
            rules[name] = found
            left += parts_in(values_in(data))
    for name in classes_of_type(model_type):
        made = attempt(name, failed, lambda name: module_of(getattr(transformers, name)), name)
        if made is not None:
            data["models"][name] = made
    # What every class reads, such as ``head_dim`` to check it.
    common = {*paths_in(values_of(rules_of(PreTrainedConfig)))}
    for name, own in rules.items():
        modules = data["models"].values() if name == kind.__name__ else ()
        own["reads"] = undeclared(own, modules, common)
    return data


def undeclared(rules: Data, modules: Iterable[Any], common: Set[str]) -> list[str]:
    """Return the paths that a class and its models read, but that it does not declare as keys.

    ``common`` has the paths that the rules of every class read; they are left out.
    """
    known = {*rules["keys"], *rules["fields"], *rules["aliases"], *rules["properties"]}
    own = {*paths_in(values_of(rules))} - common
    return sorted(one for one in {*own, *paths_in(modules)} if one not in known)


def values_of(rules: Data) -> list[Any]:
    return [*rules["fields"].values(), *rules["properties"].values(), *rules["refusals"]]


def attempt(name: str, failed: Failures, make: Callable[..., Any], *args: Any) -> Any:
    try:
        return make(*args)
    except (Exception, OutOfTime) as error:
        failed[name] = reason(error)
