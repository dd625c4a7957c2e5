"""Tie the tensors of a model as transformers does at the end of its constructor."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from paramproof.tracing.configuration.layers import LISTS, AutoModule, Inside, Module
from paramproof.tracing.configuration.paths import Dict
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    choose,
    instead,
    leaves,
    term,
)

if TYPE_CHECKING:
    from paramproof.tracing.configuration.modules import ModelInterpreter

MOST = re.compile(r"(?P<path>[\w.]+)\.\(\?!\[(?P<but>0)\]\)\\d\+")
"""A pattern for all items of a list of layers but one."""


def post_init(run: ModelInterpreter, owner: Module) -> None:
    keys = instead(run.attribute_of_module(owner, "_tied_weights_keys"), None)
    if keys is None:
        return
    ties = run.truth(instead(run.attribute_of(owner.own["config"], "tie_word_embeddings"), False))

    tied = partial(run.each, keys, partial(tie_all, run, owner))
    if ties is not False:
        run.under(ties, tied)


def tie_all(run: ModelInterpreter, owner: Module, keys: Value) -> None:
    if isinstance(keys, Term) or (isinstance(keys, Dict) and keys.base is not None):
        raise Unknown("tied weights with unknown names")
    for target, source in (keys.own if isinstance(keys, Dict) else keys or {}).items():
        run.each(source, partial(tie, run, owner, target))


def tie(run: ModelInterpreter, owner: Module, target: str, source: Value) -> None:
    if source is MISSING:
        return None
    source = source.removeprefix("^").removesuffix("$")
    if found := MOST.fullmatch(target):
        return tie_most(run, owner, found, source)
    if any(one in target + source for one in "\\^$(*[+"):
        raise Unknown(f"the tied weights {target}")
    *before, last = target.split(".")
    held = run.require(reach(run, owner, source.split(".")), source)
    holder = run.require(reach(run, owner, before), target)

    def put(one: Value) -> None:
        if isinstance(one, AutoModule | Inside):
            raise Unknown(f"a tied weight {target} inside of a model of any class")
        run.write(one, last, held)

    run.each(holder, put)


def tie_most(run: ModelInterpreter, owner: Module, target: re.Match[str], source: str) -> None:
    """Tie all items of a list of layers but one."""
    holder = run.require(reach(run, owner, target["path"].split(".")), target["path"])
    held = run.require(reach(run, owner, source.split(".")), source)

    def tied(items: Value, offset: Value = 0) -> Value:
        def kept(turn: Value, one: Value) -> Value:
            number = turn if offset == 0 else run.binary(ast.Add(), turn, offset)
            return choose(run.compared(ast.Eq(), number, int(target["but"])), one, held)

        match items:
            case Term(op="comp", args=(depth, inner, element, True)):
                return term("comp", depth, inner, kept(term("turn", depth), element), True)
            case Term(op="concat", args=(Term(op="list", args=(first, more)),)):
                rest = tied(more, run.binary(ast.Add(), offset, run.length(first)))
                return term("concat", term("list", tied(first, offset), rest))
            case Term(op="list", args=args) | tuple(args):
                return term("list", *(kept(i, one) for i, one in enumerate(args)))
        raise Unknown(f"the tied layers {items!r:.60}")

    def put(one: Value) -> None:
        run.touch(one.layers)
        when, old = run.since(one.layers.birth), one.layers.items
        one.layers.items = choose(when, leaves(old, tied), old)

    run.each(holder, put)


def reach(run: ModelInterpreter, owner: Value, path: Sequence[str]) -> Value:
    for name in path:
        owner = run.each(owner, partial(step, run, name))
    return owner


def step(run: ModelInterpreter, name: str, held: Value) -> Value:
    if isinstance(held, AutoModule | Inside):
        return Inside(held, name)
    if not isinstance(held, Module):
        return MISSING
    if name.isdecimal() and issubclass(held.kind, LISTS) and name not in held.own:
        return run.subscript_of(held.layers, int(name))
    return held.own.get(name, MISSING)
