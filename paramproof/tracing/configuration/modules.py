"""Run the constructor of a model class whose configuration is unknown."""

from __future__ import annotations

import inspect
import itertools
import types
from typing import Any

import torch
from torch import nn

from paramproof.tracing.configuration.interpreter import Class, Closure, Dict, Instance, Method
from paramproof.tracing.configuration.program import ClassInterpreter
from paramproof.tracing.configuration.terms import (
    MISSING,
    Term,
    Unknown,
    Value,
    both,
    choose,
    instead,
    negate,
    present,
    term,
    there,
)


class Tensor:
    def __init__(self, shape: Any, depth: int, is_parameter: bool = False, trainable: bool = False):
        self.shape, self.depth = shape, depth
        self.is_parameter, self.trainable = is_parameter, trainable
        self.persistent = True


    def __repr__(self) -> str:
        return f"<tensor {self.shape}>"


OPAQUE = term("opaque")
"""A number that no shape depends on, as far as is known. One that reaches a shape is an error."""


class Module(Instance):
    def __repr__(self) -> str:
        return f"<{self.kind.__name__}>"


CONTAINERS = (nn.ModuleList, nn.Sequential, nn.ModuleDict, nn.ParameterList, nn.ParameterDict)
PREFIXES = ("transformers.", "torch.nn.modules.", "torch.nn.utils.")
NOTHING = ("init_weights", "post_init_done", "register_forward_hook", "register_load_state_dict_pre_hook", "_register_load_state_dict_pre_hook", "eval", "reset_parameters", "_reset_parameters", "init_parallel_plans", "flatten_parameters", "_initialize_weights", "requires_grad_for", "apply")


class ModelInterpreter(ClassInterpreter):
    def __init__(self, base: type, model_base: type) -> None:
        super().__init__(base)
        self.model_base = model_base
        self.pins: list[Any] = []

    def configuration(self, kind: Any, origin: Value) -> Instance:
        return Instance(kind, origin)

    def attribute_of_instance(self, owner: Instance, name: str) -> Value:
        if isinstance(owner, Module):
            return self.attribute_of_module(owner, name)
        if name in ("_attn_implementation", "_experts_implementation"):
            return "eager"
        kind = owner.kind
        if name == "rope_parameters" or name == "rope_scaling":
            return term("rope", owner.origin)
        if name in ("name_or_path", "_name_or_path"):
            return ""
        if kind is not None and name not in owner.own:
            specs = (kind.sub_configs_defaults or {}).get(name)
            if specs is not None:
                field = term("field", owner.origin, name)
                part = specs.config_class
                if not issubclass(part, self.base):
                    part = specs.get_config_class(specs.model_type)
                    self.pins.append((field, part))
                made = Instance(part, field)
                owner.own[name] = choose(term("is", field, None), None, made) if specs.optional else made
                return owner.own[name]
        return super().attribute_of_instance(owner, name)

    def attribute_of_module(self, owner: Module, name: str) -> Value:
        found = owner.own.get(name, MISSING)
        if present(found) is True:
            return found
        if name == "__class__":
            return owner.kind
        if owner.kind in CONTAINERS or name in ("append", "extend", "named_parameters", "parameters", "register_buffer", "register_parameter", "add_module", "register_module", "get_input_embeddings_"):
            return Method(owner, name)
        static = inspect.getattr_static(owner.kind, name, MISSING)
        if static is MISSING:
            return found
        return instead(found, self.bound(static, owner))

    def set_attribute(self, owner: Value, name: str, value: Value) -> None:
        if isinstance(owner, Module):
            static = inspect.getattr_static(owner.kind, name, None)
            if isinstance(static, property) and static.fset:
                self.call(Method(owner, static.fset), [value])
                return
            self.write(owner, name, value)
            return
        if isinstance(owner, Tensor):
            if name == "requires_grad":
                owner.trainable = value
            return
        super().set_attribute(owner, name, value)

    def attribute_of(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Tensor):
            if name == "shape":
                if owner.shape is None:
                    raise Unknown("the shape of a computed tensor")
                return tuple(owner.shape)
            if name in ("data",):
                return owner
            if name in ("dtype", "device"):
                return None
            return Method(owner, name)
        return super().attribute_of(owner, name)

    def call(self, function: Value, args: list[Value], named: Dict | None = None) -> Value:
        named = named or Dict(self.path)
        if inspect.isclass(function) and issubclass(function, nn.Module):
            return self.make(function, args, named)
        if isinstance(function, Method):
            owner, inner = function.owner, function.function
            if isinstance(owner, Module):
                if isinstance(inner, str):
                    return self.module_method(owner, inner, args, named)
                name = inner.__name__
                if inner is nn.Module.__init__ or name in NOTHING:
                    return None
                if inner is self.model_base.__init__:
                    self.write(owner, "config", args[0])
                    return None
                if name == "post_init" and inner is self.model_base.post_init:
                    return self.post_init(owner)
                if name == "__setattr__":
                    return self.set_attribute(owner, *args)
            if isinstance(owner, Tensor):
                return self.tensor_method(owner, inner, args, named)
        if inspect.isfunction(function):
            module = function.__module__ or ""
            if function.__name__ == "post_init" or module in ("torch.nn.init", "transformers.initialization"):
                return args[0] if args else None
            if function is nn.Module.__init__:
                return None
            if function.__name__ == "load_backbone":
                from transformers import AutoBackbone
                return self.from_config(AutoBackbone, args[0])
            if function.__name__ in ("use_kernel_forward_from_hub",):
                return Identity()
        if isinstance(function, types.MethodType) and function.__name__ in ("from_config", "_from_config"):
            given = args[0] if args else named.lookup("config")
            return self.from_config(function.__self__, given)
        if isinstance(function, Term) and function.op != "if" and "rope" in repr(function)[:20000]:
            return Tensor(None, self.depth), OPAQUE
        if inspect.isfunction(function) and function.__module__.startswith(PREFIXES):
            return self.run(function, args, named)
        from paramproof.tracing.configuration import models
        if function is itertools.repeat and len(args) == 2 and isinstance(args[1], int):
            return [args[0]] * args[1]
        if function in (models.copy.deepcopy, models.copy.copy):
            return self.each(args[0], self.copied)
        if is_torch(function):
            return self.torch_call(function, args, named)
        return super().call(function, args, named)

    def copied(self, one: Value) -> Value:
        from paramproof.tracing.configuration.models import copied
        if isinstance(one, Module):
            made = Module(one.kind, None, self.path)
            made.own = {k: self.each(v, self.copied) if k != "items" else [self.copied(x) for x in v] for k, v in one.own.items()}
            return made
        if isinstance(one, Instance):
            made = Instance(one.kind, one.origin, self.path)
            made.own = dict(one.own)
            return made
        if isinstance(one, Tensor):
            return Tensor(one.shape, self.depth, one.is_parameter, one.trainable)
        return copied(self, one)

    def from_config(self, auto: Any, config: Value) -> Value:
        def of(one: Value) -> Value:
            if not isinstance(one, Instance) or one.kind is None:
                raise Unknown(f"{auto.__name__} of {one!r:.60}")
            if inspect.isclass(auto) and issubclass(auto, nn.Module):
                return self.make(auto, [one], Dict(self.path))
            if auto.__name__ == "AutoBackbone" or "Backbone" in auto.__name__:
                inner = self.attribute_of(one, "backbone_config")
                if present(inner) is True and isinstance(inner, Instance):
                    one = inner
            try:
                kind = auto._model_mapping[one.kind]
            except KeyError:
                raise Unknown(f"{auto.__name__} of {one.kind.__name__}") from None
            kind = kind[0] if isinstance(kind, tuple) else kind
            return self.make(kind, [one], Dict(self.path))

        return self.each(config, of)

    def make(self, kind: Any, args: list[Value], named: Dict) -> Module:
        made = Module(kind, None, self.path)
        if kind in CONTAINERS:
            self.fill(made, args, named)
            return made
        if kind.__init__ is nn.Module.__init__:
            return made
        self.run(kind.__init__, [made, *args], named)
        return made

    def fill(self, made: Module, args: list[Value], named: Dict) -> None:
        if made.kind is nn.Sequential:
            if len(args) == 1 and isinstance(args[0], Dict | dict):
                pairs = args[0].own if isinstance(args[0], Dict) else args[0]
                made.own |= pairs
                return
            made.own["items"] = list(args)
        elif made.kind in (nn.ModuleDict, nn.ParameterDict):
            if args:
                given = args[0]
                if isinstance(given, Dict):
                    made.own |= given.own
                elif isinstance(given, dict):
                    made.own |= given
                else:
                    raise Unknown("a ModuleDict of an unknown value")
        elif args:
            found = self.items(args[0])
            made.own["items"] = args[0] if found is None else list(found)
        else:
            made.own["items"] = []

    def module_method(self, owner: Module, name: str, args: list[Value], named: Dict) -> Value:
        held = owner.own.get("items")
        match name:
            case "append":
                if isinstance(held, Term):
                    raise Unknown("an item that is appended to layers")
                self.call_method(held, "append", args, named)
                return owner
            case "extend":
                return self.call_method(held, "extend", args, named)
            case "register_buffer":
                values = dict(zip(("name", "tensor", "persistent"), args)) | named.own
                value = values["tensor"]
                self.set_attribute(owner, values["name"], value)
                return None
            case "register_parameter":
                values = dict(zip(("name", "param"), args)) | named.own
                self.set_attribute(owner, values["name"], values["param"])
                return None
            case "add_module" | "register_module":
                if isinstance(args[0], Term):
                    raise Unknown("a module with an unknown name")
                self.set_attribute(owner, args[0], args[1])
                return None
            case "parameters":
                return [r[4] for r in records(self, owner) if r[4].is_parameter]
            case "named_parameters":
                return [(r[0], r[4]) for r in records(self, owner) if r[4].is_parameter]
            case "values" | "items" | "keys" if owner.kind in (nn.ModuleDict,):
                return list(getattr(owner.own, name)())
            case "update" if owner.kind is nn.ModuleDict:
                given = args[0]
                owner.own |= given.own if isinstance(given, Dict) else given
                return None
        raise Unknown(f"the method {name} of a module")

    def items(self, value: Value) -> list[Value] | None:
        value = self.settle(value)
        if isinstance(value, Tensor):
            if value.shape and isinstance(value.shape[0], int):
                return [Tensor(value.shape[1:], self.depth) for _ in range(value.shape[0])]
            return None
        if isinstance(value, Module):
            if value.kind not in CONTAINERS:
                raise Unknown("the items of a module")
            if "items" not in value.own:
                return [*value.own]
            return self.items(value.own["items"])
        return super().items(value)

    def frozen(self, value: Value) -> Value:
        if isinstance(value, Tensor) and value.shape and not isinstance(value.shape[0], int):
            return term("comp", self.depth, term("range", 0, value.shape[0], 1), OPAQUE, True)
        return super().frozen(value)

    def subscript(self, holder: Value, index: Value) -> Value:
        def of(one: Value) -> Value:
            if isinstance(one, Module):
                if "items" in one.own:
                    held = one.own["items"]
                    if isinstance(held, list):
                        if isinstance(index, slice):
                            made = Module(one.kind, None, self.path)
                            made.own["items"] = held[index]
                            return made
                        return super(ModelInterpreter, self).subscript(held, index)
                    raise Unknown("an item of unknown layers")
                return self.require(one.own.get(index, MISSING), index)
            if type(one).__name__ == "ClassInstantier" and isinstance(index, Term):
                return self.activation(one, index)
            if isinstance(one, dict) and isinstance(index, Term) and any(map(inspect.isclass, one.values())):
                found: Value = MISSING
                import ast
                for key, value in one.items():
                    found = choose(self.compared(ast.Eq(), index, key), value, found)
                return self.require(found, index)
            if isinstance(one, Tensor):
                return Tensor(None, self.depth)
            return super(ModelInterpreter, self).subscript(one, index)

        return self.each(holder, of)

    def activation(self, table: Any, index: Value) -> Value:
        """Return the module of an activation: most have no parameters."""
        plain, found = [], MISSING
        import ast
        for key in table:
            made = table[key]
            if any(True for _ in made.parameters()):
                found = choose(self.compared(ast.Eq(), index, key), self.built(made), found)
            else:
                plain.append(key)
        is_plain = term("in", index, term("list", *plain))
        return self.require(choose(is_plain, Module(nn.Identity, None, self.path), found), index)

    def built(self, module: nn.Module) -> Module:
        """Return a module that transformers has built already."""
        made = Module(type(module), None, self.path)
        for name, one in module.named_parameters(recurse=False):
            made.own[name] = Tensor(tuple(one.shape), self.depth, True, one.requires_grad)
        for name, buffer in module.named_buffers(recurse=False):
            made.own[name] = Tensor(tuple(buffer.shape), self.depth)
        made.own |= {name: self.built(one) for name, one in module.named_children()}
        return made

    def display(self, node: Any, elts: Any) -> Value:
        """Return a list or tuple; one with an unknown number of items is a term."""
        import ast
        if not any(isinstance(one, ast.Starred) for one in elts):
            return super().display(node, elts)
        parts: list[Value] = []
        for one in elts:
            if isinstance(one, ast.Starred):
                parts.append(self.eval(one.value))
            else:
                parts.append([self.eval(one)])

        def joined(i: int, done: list[Value]) -> Value:
            if i == len(parts):
                if all(isinstance(x, list) for x in done):
                    flat = [y for x in done for y in x]
                    return tuple(flat) if isinstance(node, ast.Tuple) else flat
                return term("joined", *map(self.frozen, done))

            def of(one: Value) -> Value:
                found = self.items(one)
                return joined(i + 1, [*done, one if found is None else list(found)])

            return self.each(parts[i], of)

        return joined(0, [])

    def statement(self, node: Any) -> Value:
        import ast
        if isinstance(node, ast.FunctionDef):
            self.write(self.frames[-1], node.name, Closure(node, self.frames[-1]))
            return True
        if isinstance(node, ast.Try):
            try:
                return self.block(node.body)
            except ImportError:
                return self.block(node.handlers[0].body)
        if isinstance(node, ast.With):
            return self.block(node.body)
        if isinstance(node, ast.Assert):
            return True
        return super().statement(node)

    def run_closure(self, closure: Closure, args: list[Value]) -> Value:
        import ast
        if isinstance(closure.node, ast.Lambda):
            return super().run_closure(closure, args)
        from paramproof.tracing.configuration.interpreter import Frame
        frame = Frame(closure, self.path)
        names = [one.arg for one in closure.node.args.args]
        frame.own = dict(zip(names, args))
        for one, default in zip(reversed(names), reversed(closure.node.args.defaults)):
            if one not in frame.own:
                frame.own[one] = self.eval(default)
        self.frames.append(frame)
        try:
            self.block(closure.node.body)
        finally:
            self.frames.pop()
        return frame.result

    def set_item(self, holder: Value, key: Value, value: Value) -> None:
        if isinstance(holder, Tensor) or holder is OPAQUE:
            return
        if isinstance(holder, Module):
            if isinstance(key, Term):
                raise Unknown("a module with an unknown name")
            if "items" in holder.own:
                return super().set_item(holder.own["items"], key, value)
            self.write(holder, key, value)
            return
        if isinstance(holder, Dict) and isinstance(key, Term):
            holder.base = term("dict of any", self.depth, key)
            return
        super().set_item(holder, key, value)

    def call_other(self, function: Any, args: list[Value], named: Dict) -> Value:
        try:
            return super().call_other(function, args, named)
        except Unknown:
            module = getattr(function, "__module__", "") or ""
            if module.startswith(("math", "numpy")) or type(function).__name__ == "ufunc":
                return OPAQUE
            raise

    def binary(self, op: Any, left: Value, right: Value) -> Value:
        def of(one: Value) -> Value:
            def of2(other: Value) -> Value:
                if one is OPAQUE or other is OPAQUE:
                    return OPAQUE
                if isinstance(one, Tensor) or isinstance(other, Tensor):
                    shapes = [x.shape for x in (one, other) if isinstance(x, Tensor)]
                    if len(shapes) == 1 or shapes[1] == []:
                        return Tensor(shapes[0], self.depth)
                    return Tensor(shapes[1] if shapes[0] == [] else None, self.depth)
                return super(ModelInterpreter, self).binary(op, one, other)
            return self.each(right, of2)
        return self.each(left, of)

    def compared(self, op: Any, left: Value, right: Value) -> Value:
        if isinstance(left, Tensor) or isinstance(right, Tensor):
            import ast
            if not isinstance(op, (ast.Is, ast.IsNot)):
                return Tensor(None, self.depth)
        return super().compared(op, left, right)

    # Tensors

    def torch_call(self, function: Any, args: list[Value], named: Dict) -> Value:
        name = getattr(function, "__name__", "")
        if function in (nn.Parameter, nn.Buffer) or name in ("Parameter", "Buffer", "UninitializedParameter"):
            given = args[0] if args else named.lookup("data")

            def of(one: Value) -> Value:
                if one is None or isinstance(one, Tensor):
                    shape = one.shape if one else [0]
                    trains = named.lookup("requires_grad")
                    if len(args) > 1:
                        trains = args[1]
                    is_p = name == "Parameter"
                    made = Tensor(shape, self.depth, is_p, is_p and trains is not False)
                    return made
                raise Unknown(f"a parameter of {one!r:.60}")

            return self.each(given, of)
        if name in ("empty", "zeros", "ones", "randn", "rand", "Tensor", "FloatTensor", "empty_strided"):
            shape = named.lookup("size") if named.lookup("size") is not MISSING else args
            if len(args) == 1:
                inner = self.settle(args[0])
                if isinstance(inner, list | tuple):
                    shape = inner
                elif isinstance(inner, Term) and inner.op == "list":
                    shape = inner.args
                elif isinstance(inner, Tensor):
                    return Tensor(inner.shape, self.depth)
                elif isinstance(inner, Term) and inner.op in ("if", "joined", "slice"):
                    return Tensor(inner, self.depth)
            return Tensor(list(shape), self.depth)
        if name in ("full",):
            return Tensor(list(self.items(args[0]) or [args[0]]), self.depth)
        if name in ("zeros_like", "ones_like", "empty_like", "exp", "log", "clamp", "sin", "cos", "detach"):
            one = args[0]
            return Tensor(one.shape if isinstance(one, Tensor) else None, self.depth)
        if name in ("tensor", "LongTensor", "as_tensor", "from_numpy"):
            def shape_of(v: Value) -> Any:
                if isinstance(v, list | tuple):
                    inner = shape_of(v[0]) if v else []
                    return None if inner is None else [len(v), *inner]
                if isinstance(v, Term) and v.op not in ("if",):
                    return None if v.op in ("list", "comp", "get", "field") and v.op == "comp" else []
                return []
            return Tensor(shape_of(args[0]), self.depth)
        if name == "arange":
            if len(args) == 1:
                return Tensor([args[0]], self.depth)
            if len(args) == 2:
                import ast
                return Tensor([self.binary(ast.Sub(), args[1], args[0])], self.depth)
            return Tensor(None, self.depth)
        if name == "linspace":
            n = args[2] if len(args) > 2 else named.lookup("steps")
            return Tensor([n], self.depth)
        if name in ("normal",):
            return Tensor(list(self.items(named.lookup("size") if named.lookup("size") is not MISSING else args[2])), self.depth)
        if name in ("device", "get_default_dtype", "no_grad", "is_grad_enabled", "iinfo", "finfo", "Generator", "dtype"):
            return None
        if name in ("eye",):
            return Tensor([args[0], args[-1]], self.depth)
        return Tensor(None, self.depth)

    def tensor_method(self, owner: Tensor, name: Any, args: list[Value], named: Dict) -> Value:
        match name:
            case "requires_grad_":
                owner.trainable = args[0] if args else True
                return owner
            case "size":
                if owner.shape is None:
                    raise Unknown("the size of a computed tensor")
                return owner.shape[args[0]] if args else tuple(owner.shape)
            case "clone" | "float" | "to" | "uniform_" | "normal_" | "fill_" | "zero_" | "long" | "contiguous" | "detach" | "data" | "copy_" | "half" | "double" | "mul_" | "cpu" | "bool" | "int":
                return Tensor(owner.shape, self.depth)
            case "expand":
                shape = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
                if owner.shape is not None:
                    lead = len(shape) - len(owner.shape)
                    shape = [one if one != -1 else owner.shape[i - lead] for i, one in enumerate(shape)]
                return Tensor(shape, self.depth)
            case "unsqueeze":
                if owner.shape is None:
                    return owner
                at = args[0] if args[0] >= 0 else args[0] + len(owner.shape) + 1
                return Tensor([*owner.shape[:at], 1, *owner.shape[at:]], self.depth)
            case "dim":
                return len(owner.shape)
            case "view" | "reshape":
                if not any(one == -1 for one in args if isinstance(one, int)):
                    return Tensor(list(args), self.depth)
            case "t":
                return Tensor(owner.shape[::-1], self.depth)
            case "transpose":
                if owner.shape is not None:
                    shape = list(owner.shape)
                    shape[args[0]], shape[args[1]] = shape[args[1]], shape[args[0]]
                    return Tensor(shape, self.depth)
        if name in ("item", "tolist"):
            return term("opaque", name)
        return Tensor(None, self.depth)

    def post_init(self, owner: Module) -> None:
        keys = getattr(owner.kind, "_tied_weights_keys", None)
        keys = owner.own.get("_tied_weights_keys", keys)
        if isinstance(keys, Dict):
            keys = keys.own
        if not keys:
            return
        config = owner.own["config"]
        from paramproof.tracing.configuration.models import get_attr
        ties = self.truth(get_attr(self, config, "tie_word_embeddings", False))
        if ties is False:
            return

        def tie() -> None:
            for target, source in keys.items():
                self.tie(owner, target, source)

        if ties is True:
            tie()
        else:
            self.under(ties, tie)

    def tie(self, owner: Module, target: str, source: str) -> None:
        if any(one in target + source for one in "\\^$(*[+"):
            raise Unknown(f"the tied weights {target}")
        def reach(path: list[str]) -> Value:
            held: Value = owner
            for one in path:
                held = self.step(held, one)
            return held
        *before, last = target.split(".")
        holder = reach(before)
        value = reach(source.split("."))
        if holder is MISSING or value is MISSING:
            return
        def put(one: Value) -> None:
            if isinstance(one, Module):
                if isinstance(value, Module) or last in one.own:
                    self.write(one, last, value)
        self.each(holder, put)

    def step(self, held: Value, name: str) -> Value:
        def of(one: Value) -> Value:
            if isinstance(one, Module):
                if name.isdecimal() and "items" in one.own and isinstance(one.own["items"], list):
                    return one.own["items"][int(name)]
                return one.own.get(name, MISSING)
            return MISSING
        return self.each(held, of)


class Identity:
    pass


def is_torch(function: Any) -> bool:
    module = getattr(function, "__module__", None) or ""
    owner = getattr(function, "__self__", None)
    if module.startswith("torch.nn.modules") or module.startswith("torch.nn.utils"):
        return False
    return module.startswith("torch") or type(owner).__name__ in ("module",) and getattr(owner, "__name__", "").startswith("torch") or function in (nn.Parameter,)


def records(run: ModelInterpreter, made: Module) -> list[Any]:
    """Return (path, shape, condition, loops, tensor) of each parameter and buffer."""
    found: list[Any] = []

    def walk(value: Value, path: str, condition: Value, loops: tuple[Any, ...]) -> None:
        if isinstance(value, Term) and value.op == "if":
            test, one, other = value.args
            if both(condition, test) is not False:
                walk(one, path, both(condition, test), loops)
            if both(condition, negate(test)) is not False:
                walk(other, path, both(condition, negate(test)), loops)
        elif isinstance(value, Tensor):
            found.append((path, value.shape, condition, loops, value))
        elif isinstance(value, Module):
            if value.kind in CONTAINERS and "items" in value.own:
                listed(value.own["items"], path, condition, loops)
            for name, inner in value.own.items():
                if name != "items":
                    walk(inner, f"{path}.{name}" if path else name, condition, loops)

    def listed(items: Value, path: str, condition: Value, loops: tuple[Any, ...]) -> None:
        if isinstance(items, list):
            for i, one in enumerate(items):
                walk(one, f"{path}.{i}" if path else str(i), condition, loops)
        elif isinstance(items, Term) and items.op == "if":
            test, one, other = items.args
            listed(one, path, both(condition, test), loops)
            listed(other, path, both(condition, negate(test)), loops)
        elif isinstance(items, Term) and items.op == "comp":
            depth, source, elt, kept = items.args
            walk(elt, f"{path}.{{{depth}}}" if path else f"{{{depth}}}", condition, (*loops, (depth, source, kept)))
        elif isinstance(items, Term) and items.op == "list":
            listed(list(items.args), path, condition, loops)
        elif isinstance(items, Term) and items.op in ("joined",):
            for one in items.args:
                listed(one, path + "+", condition, loops)
        elif items is not None:
            raise Unknown(f"layers {items!r:.80}")

    walk(made, "", True, ())
    return found
