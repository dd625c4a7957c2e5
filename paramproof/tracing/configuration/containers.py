"""The methods of torch's modules, and the ties that transformers makes at the end."""

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
    Module,
    reached,
    with_items,
)
from paramproof.tracing.configuration.paths import Dict, Frame, List
from paramproof.tracing.configuration.tensors import Tensor
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    choose,
    instead,
    is_op,
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

WALKS = {"buffers": "buffer", "children": "module", "modules": "module", "parameters": "parameter"}
"""What methods list that go through a module, also with names."""


def is_skipped(name: str) -> bool:
    return name in RETURNING or SKIPPED.fullmatch(name) is not None


def fill(run: ModuleInterpreter, made: Module, *args: Value) -> None:
    """Run the constructor of a list or a dictionary of modules."""
    given: Value = args[0] if args else None
    if issubclass(made.kind, nn.Sequential) and not isinstance(given, Dict | dict | List):
        given = args
    if issubclass(made.kind, DICTS) or isinstance(given, Dict | dict):
        given = run.current(given or {})
        if is_op(given.base, "comp dict"):
            depth, source, key, value, kept = given.base.args
            made.named.items = term("comp", depth, source, term("entry", key, value), kept)
        elif given.base is not None:
            raise Unknown("modules with unknown names")
        for key, value in given.own.items():
            run.set_attribute(made, key, value)
    elif given is not None:
        items = run.items(given)
        made.layers = List(run.path, run.frozen(given) if items is None else tuple(items))


def module_method(
    run: ModuleInterpreter, owner: Module, name: str, args: Sequence[Value], named: Dict
) -> Value:
    match name:
        case "append" | "extend" | "insert" if issubclass(owner.kind, LISTS):
            run.call_method(owner.layers, name, args, named)
            return owner
        case "__setattr__" | "add_module" | "register_buffer" | "register_parameter":
            frame = Frame(run.path, getattr(nn.Module, name))
            run.bind(frame, frame.function, [owner, *args], named)
            _, key, value, *persistent = frame.own.values()
            if persistent:
                if isinstance(key, Term):
                    raise Unknown("a buffer with an unknown name")
                owner.buffers[key] = run.decided(*persistent)
            return run.set_attribute(owner, key, value)
        case _ if kind := WALKS.get(name.removeprefix("named_")):
            named_run = run if name.startswith("named_") else None
            found = reached(owner, kind, named_run, not name.endswith("children"))
            pairs = ((run.text(path), one) for one, path in found.items())
            return List(run.path, tuple(pairs if named_run else found))
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
    frame = Frame(run.path, function)
    run.bind(frame, function, args, named)
    owner, name, dim = frame.own.values()
    shape = owner.own[name].shape
    if not isinstance(shape, tuple) or not isinstance(dim, int):
        raise Unknown("the norms of a weight of unknown dimensions")
    if not function.__module__.endswith("parametrizations"):
        raise Unknown("norms of a weight in the old way")
    norms = tuple(size if i == dim % len(shape) else 1 for i, size in enumerate(shape))
    pair = Module(run.path, nn.Module)
    for key, one in {"original0": norms, "original1": shape}.items():
        pair.own[key] = Tensor(run, one, "parameter", True)
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

BUT_FIRST = r"(?![0])\d+"
"""How transformers names all items of a list of layers but the first."""


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
        return
    source = source.removeprefix("^").removesuffix("$")
    if any(one in target.removesuffix(BUT_FIRST) + source for one in "\\^$(*[+"):
        raise Unknown(f"the tied weights {target}")
    *before, last = target.split(".")
    held = run.require(reach(run, source.split("."), owner), source)
    holder = run.require(reach(run, before, owner), target)

    def tied(number: Value, one: Value) -> Value:
        return choose(run.compared(ast.Eq(), number, 0), one, held)

    def put(one: Value) -> None:
        if isinstance(one, AutoModule) or is_op(one, "inside"):
            raise Unknown(f"a tied weight {target} inside of a model of any class")
        if last == BUT_FIRST:
            run.replace(one.layers, with_items(run, one.layers.items, tied))
        else:
            run.write(one, last, held)

    run.each(holder, put)


def reach(run: ModuleInterpreter, path: Sequence[str], owner: Value) -> Value:
    """Return what is at a path inside of a module, or ``MISSING``."""
    if not path or not isinstance(owner, Module):
        return MISSING if path else owner
    if isinstance(owner, AutoModule):
        return term("inside", owner, ".".join(path))
    name, *rest = path
    inner = owner.own.get(name, MISSING)
    if name.isdecimal() and issubclass(owner.kind, LISTS) and name not in owner.own:
        inner = run.subscript(owner.layers, int(name))
    return run.each(inner, partial(reach, run, rest))
