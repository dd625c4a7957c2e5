"""What the methods of torch's modules do, and the ties that transformers makes in the end."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from torch import nn

from paramproof.tracing.configuration.layers import (
    DICTS,
    LISTS,
    AutoModule,
    Inside,
    Module,
    reached,
)
from paramproof.tracing.configuration.paths import Dict, List
from paramproof.tracing.configuration.tensors import Tensor
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
    from paramproof.tracing.configuration.modules import ModuleInterpreter


RETURNING = frozenset({"eval", "to", "train", "half", "float", "bfloat16", "cuda", "cpu", "apply"})
"""Methods that change numbers, or how a model runs, and return the module."""

SKIPPED = re.compile(
    r"\w*register\w*_hook|\w*(init|initialize)_weights|_?reset_parameters|_load_from_state_dict"
    r"|tie_weights|init_parallel_plans|maybe_install_capturing_hooks|flatten_parameters"
    r"|\w*gradient_checkpointing\w*|enable_input_require_grads"
    r"|requires_backends|validate_environment"
)
"""The same for methods that return nothing."""


def is_skipped(name: str) -> bool:
    return name in RETURNING or SKIPPED.fullmatch(name) is not None


def fill(run: ModuleInterpreter, made: Module, *args: Value) -> None:
    """Run the constructor of a list or a dictionary of modules."""
    if issubclass(made.kind, nn.Sequential):
        if len(args) == 1 and isinstance(args[0], Dict | dict):
            update_module(run, made, args[0])
        else:
            made.layers = List(run.path, tuple(args))
    elif args and args[0] is not None:
        if issubclass(made.kind, DICTS):
            update_module(run, made, args[0])
        else:
            items = run.items(args[0])
            made.layers = List(run.path, run.frozen(args[0]) if items is None else tuple(items))
    if issubclass(made.kind, nn.ParameterList):
        made.layers.items = as_parameters(run, made.layers.items)


def as_parameters(run: ModuleInterpreter, value: Value) -> Value:
    """Return what a list of parameters makes of tensors."""
    again = partial(as_parameters, run)
    match value:
        case tuple():
            return tuple(map(again, value))
        case Tensor(role=""):
            return Tensor(run, value.shape, "parameter", True)
        case Term(op="list" | "concat" | "if", args=args):
            return term(value.op, *map(again, args))
        case Term(op="comp", args=(depth, source, element, kept)):
            made = again(element)
            if isinstance(made, Tensor):
                made.storage = (made.serial, *(term("turn", one) for one in range(depth + 1)))
            return term("comp", depth, source, made, kept)
    return value


def update_module(run: ModuleInterpreter, made: Module, given: Value) -> None:
    if isinstance(given, Dict) and isinstance(given.base, Term) and given.base.op == "comp dict":
        depth, source, key, value, kept = given.base.args
        made.named.items = term("comp", depth, source, term("entry", key, value), kept)
    elif isinstance(given, Dict) and given.base is not None:
        raise Unknown("modules with unknown names")
    for key, value in (given.own if isinstance(given, Dict) else given).items():
        run.set_attribute(made, key, value)


def module_method(  # noqa: C901 - a case for each method
    run: ModuleInterpreter, owner: Module, name: str, args: Sequence[Value], named: Dict
) -> Value:
    def given(number: int, key: str, default: Value = MISSING) -> Value:
        return args[number] if number < len(args) else instead(run.lookup(named, key), default)

    match name:
        case "append" | "extend" | "insert" if issubclass(owner.kind, LISTS):
            run.call_method(owner.layers, name, args, named)
            return owner
        case "register_buffer":
            key = given(0, "name")
            if isinstance(key, Term):
                raise Unknown("a buffer with an unknown name")
            owner.buffers[key] = run.decided(given(2, "persistent", True))
            return run.set_attribute(owner, key, given(1, "tensor"))
        case "register_parameter" | "add_module" | "register_module" | "__setattr__":
            return run.set_attribute(
                owner,
                given(0, "name"),
                given(1, "param" if name == "register_parameter" else "module"),
            )
        case "parameters" | "buffers" | "modules" | "children":
            wanted = "module" if name == "children" else name.removesuffix("s")
            found = reached(owner, wanted, deep=name != "children")
            return List(run.path, tuple(found))
        case "named_parameters" | "named_modules" | "named_children":
            is_deep = name != "named_children"
            wanted = "parameter" if name == "named_parameters" else "module"
            found = reached(owner, wanted, run, is_deep)
            return List(run.path, tuple((run.text(path), one) for one, path in found.items()))
        case "requires_grad_":
            for one in reached(owner, "parameter"):
                run.write(one, "requires_grad", run.truth(args[0]) if args else True)
            return owner
        case "get_submodule" if isinstance(args[0], Term):
            return term("opaque", "module")
    if is_skipped(name):
        return owner
    raise Unknown(f"the method {name} of a module")


def weight_norm(run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Dict) -> Value:
    """Replace the weight of a module by its norms and its direction."""
    owner = args[0]
    name = args[1] if args[1:] else instead(run.lookup(named, "name"), "weight")
    dim = args[2] if args[2:] else instead(run.lookup(named, "dim"), 0)
    weight = owner.own[name]
    shape = weight.shape
    if not isinstance(shape, tuple) or not isinstance(dim, int):
        raise Unknown("the norms of a weight of unknown dimensions")
    norms = tuple(size if i == dim % len(shape) else 1 for i, size in enumerate(shape))
    first = Tensor(run, norms, "parameter", True)
    second = Tensor(run, shape, "parameter", True)
    if not function.__module__.endswith("parametrizations"):
        raise Unknown("norms of a weight in the old way")
    pair = Module(run.path, nn.Module)
    pair.own = {"original0": first, "original1": second}
    whole = owner.own.get("parametrizations", Module(run.path, nn.Module))
    run.write(whole, name, pair)
    run.write(owner, "parametrizations", whole)
    run.write(owner, name, Tensor(run, shape))
    return owner


def freeze_norms(run: ModuleInterpreter, function: Any, args: Sequence[Value], named: Dict) -> None:
    """Put frozen modules in place of the batch norms inside of a model."""
    kind = next(one for name, one in function.__globals__.items() if "FrozenBatchNorm" in name)
    for one in reached(args[0], "module"):
        if one.kind is nn.BatchNorm2d:
            made = run.make(kind, [one.own["num_features"]], Dict(run.path))
            turns = next(x.storage[1:] for x in one.own.values() if isinstance(x, Tensor))
            for new in reached(made, ""):
                if isinstance(new, Tensor):
                    new.storage = (new.serial, *turns)
            for key in {**one.own, **made.own}:
                run.write(one, key, made.own.get(key, MISSING))
            one.buffers |= made.buffers


# Ties

MOST = re.compile(r"(?P<path>[\w.]+)\.\(\?!\[(?P<but>0)\]\)\\d\+")
"""A pattern for all items of a list of layers but one."""


def post_init(run: ModuleInterpreter, owner: Module) -> None:
    keys = instead(run.attribute_of_module(owner, "_tied_weights_keys"), None)
    if keys is None:
        return
    ties = run.truth(instead(run.attribute_of(owner.own["config"], "tie_word_embeddings"), False))

    def tie_all(keys: Value) -> None:
        if isinstance(keys, Term) or (isinstance(keys, Dict) and keys.base is not None):
            raise Unknown("tied weights with unknown names")
        for target, source in (keys.own if isinstance(keys, Dict) else keys or {}).items():
            run.each(source, partial(tie, run, owner, target))

    if ties is not False:
        run.under(ties, partial(run.each, keys, tie_all))


def tie(run: ModuleInterpreter, owner: Module, target: str, source: Value) -> None:
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


def tie_most(run: ModuleInterpreter, owner: Module, target: re.Match[str], source: str) -> None:
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
        run.replace(one.layers, leaves(one.layers.items, tied))

    run.each(holder, put)


def reach(run: ModuleInterpreter, owner: Value, path: Sequence[str]) -> Value:
    for name in path:
        owner = run.each(owner, partial(step, run, name))
    return owner


def step(run: ModuleInterpreter, name: str, held: Value) -> Value:
    if isinstance(held, AutoModule | Inside):
        return Inside(held, name)
    if not isinstance(held, Module):
        return MISSING
    if name.isdecimal() and issubclass(held.kind, LISTS) and name not in held.own:
        return run.subscript_of(held.layers, int(name))
    return held.own.get(name, MISSING)
