"""The options of ``count`` that ask what follows from the tensors of a model.

Each asks a question, whose answer takes the place of the tree; several are answered one after the
other. ``HOW`` has the options that say how another one is meant.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import click

from paramproof.cli.options import Command
from paramproof.following.answer import Answer
from paramproof.following.questions import listed
from paramproof.resolver import Model
from paramproof.views.counted import Count

HOW = {"batch": "cache", "kept": "cache", "targets": "lora", "parameters": "lora", "dora": "lora"}

_OPTIONS: dict[str, dict[str, Any]] = {
    "cache": {"type": int, "metavar": "TOKENS", "help": "Print the bytes of caches at TOKENS."},
    "batch": {"type": int, "metavar": "N", "help": "The sequences that --cache is for."},
    "kept": {"metavar": "CONVENTION", "help": "What is kept: dynamic, static or full."},
    "lora": {"type": int, "metavar": "RANK", "help": "Print the parameters of LoRA."},
    "targets": {"metavar": "NAMES", "help": "Modules for --lora: names, a pattern or all-linear."},
    "parameters": {"metavar": "NAMES", "help": "Tensors of experts for --lora."},
    "dora": {"is_flag": True, "help": "Make --lora DoRA."},
    "prefix": {"type": int, "metavar": "TOKENS", "help": "Print the parameters of a prefix."},
    "prompt": {"type": int, "metavar": "TOKENS", "help": "Print the parameters of a prompt."},
    "ranks": {"metavar": "PLAN", "help": "Print what each rank holds, such as at tp=8,ep=8."},
    "stored": {"metavar": "SCHEME", "help": "Print the bytes of a file, such as w4a16."},
}

ASKED = {f"--{name}" for name in _OPTIONS}
FORMS = {option: ASKED | {"--class", "--derive", "--dtype", "--json"} for option in sorted(ASKED)}
"""What these options can be combined with."""


def options(command: Command) -> Command:
    for name, how in reversed(_OPTIONS.items()):
        command = click.option(f"--{name}", **how)(command)
    return command


def is_asked(chosen: SimpleNamespace) -> bool:
    """Return whether an option asks a question; one without its question is an error."""
    given = {name: getattr(chosen, name) for name in _OPTIONS}
    asked = {name for name, one in given.items() if one is not None and one is not False}
    if alone := [name for name in sorted(asked & HOW.keys()) if HOW[name] not in asked]:
        raise ValueError(f"--{alone[0]} needs --{HOW[alone[0]]}")
    return bool(asked)


def answers(model: Model, chosen: SimpleNamespace) -> dict[str, Answer]:
    """Return the answers to all questions, by their names in JSON."""
    count, found = Count(model), dict[str, Answer]()
    if chosen.cache is not None:
        how = {"batch": chosen.batch, "convention": chosen.kept, "dtype": chosen.dtype or None}
        given = {name: one for name, one in how.items() if one is not None}
        found["cache"] = count.cache(chosen.cache, **given)
    if chosen.lora is not None:
        settings = {"target_parameters": listed(chosen.parameters), "use_dora": chosen.dora}
        is_usual = chosen.targets is None and chosen.parameters is None
        targets = None if is_usual else listed(chosen.targets)
        found["lora"] = count.lora(chosen.lora, targets, **settings)
    for name in ("prefix", "prompt", "ranks", "stored"):
        if (given := getattr(chosen, name)) is not None:
            found[name] = getattr(count, name)(given)
    return found
