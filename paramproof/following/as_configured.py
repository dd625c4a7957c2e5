"""The scheme of a file: what its ``quantization_config`` says of its weights.

* ``fp8``, with blocks: every ``nn.Linear`` and experts in one tensor, with float32 scales, as
  DeepSeek-V3 stores them.
* ``mxfp4``: the experts of gpt-oss, 32 values in 16 bytes and a scale of 8 bits.
* ``gptq``, ``awq``: every ``nn.Linear`` of the layers, or every one but the head, in words of 32
  bits, with scales of 16 bits and packed zero points; GPTQ also stores the group of each input.

``modules_to_not_convert`` stay as they are; without it the head, tied weights and the last module
do. A name may be a pattern. Files come from strangers, so a pattern that could take long is
refused, and so is a name that no module has: what it means would be packed without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from paramproof.catalogue.names import QUANTIZATION
from paramproof.following.adapters import HEAD, head_of
from paramproof.following.dtypes import Tensors, dtype_of
from paramproof.following.modules import Module, kept_in_float32, read
from paramproof.following.packing import Block, Packing, Rule, Scheme
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import leaf, lies_in, parent, stack_of, starred
from paramproof.formulas.printing import pair_text, shown
from paramproof.resolver.models import ConfigReading

CONFIG = "config"

PATTERN = re.compile(r"[\w\-.]{1,99}(?:\.\*[\w\-.]{0,99}){0,3}")
"""Names with at most three ``.*``, and nothing else that repeats."""

MOST_NAMES = 10_000
LARGEST_GROUP = 2**20


def as_configured(reading: ConfigReading, tensors: Tensors) -> Scheme:
    """Return the scheme of a configuration. Raises ``InvalidInput`` if it has none with a rule."""
    given = reading.keys.get(QUANTIZATION)
    if not isinstance(given, Mapping):
        raise InvalidInput(f"the configuration has no {QUANTIZATION}", key=QUANTIZATION)
    rules = {"fp8": _fp8, "mxfp4": _mxfp4, "gptq": _gptq, "awq": _awq}
    _require(given, quant_method=tuple(rules))
    method = given["quant_method"]
    dtype = dtype_of(reading)
    heading = f"bytes as {QUANTIZATION} says: {method}, the rest in {dtype}"
    return Scheme(heading, dtype, rules[method](given, tensors))


def _fp8(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    _require(given, activation_scheme=(None, "dynamic"), scale_fmt=(None, "float", "ue8m0"))
    _require(given, expert_dtype=(None, "fp8"), modules_to_convert=(None, []))
    if found := [one for one in tensors.types if one in read()["subclasses"]]:
        raise InvalidInput(f"{found[0]} has layers of a subclass of nn.Linear")
    for one in tensors.weights:
        # transformers replaces each module named "experts" by its own, which has matrices of all
        # experts in one tensor, and takes their number from the configuration.
        is_known = leaf(parent(one.path)) == "experts" and len(one.shape) == 3
        if "experts" in one.path.split(".") and not (is_known and one.shape[0] in tensors.experts):
            raise InvalidInput(f"transformers has no fp8 for the experts of {shown(one.path)}")
    rows, columns = _sizes(given, "weight_block_size", 2)
    scale = Block(rows, columns, 1 if given.get("scale_fmt") == "ue8m0" else 4)
    packing = Packing(f"float8, blocks of {rows} × {columns}", (Block(1, 1, 1), scale), True)
    return _experts(packing, _excluded(given, tensors, adds_defaults=False), has_linear=True)


def _mxfp4(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    if "gpt_oss" not in tensors.types:
        raise InvalidInput(f"mxfp4 is a format of gpt_oss, not of {tensors.types[0]}")
    packing = Packing("mxfp4, blocks of 32", (Block(1, 2, 1), Block(1, 32, 1)))
    return _experts(packing, _excluded(given, tensors, adds_defaults=False), has_linear=False)


def _experts(packing: Packing, excluded: Callable[[str], bool], has_linear: bool) -> Rule:
    """Return the rule that packs experts in one tensor, and each ``nn.Linear`` if so, as well."""

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        is_expert = module.kind == "parameter" and leaf(parent(path)) == "experts"
        is_packed = is_expert if axes == 3 else has_linear and module.kind == "linear" and axes == 2
        return packing if is_packed and not excluded(parent(path)) else None

    return rule


def _gptq(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    _require(given, bits=(2, 4, 8), checkpoint_format=(None, "gptq", "gptq_v2"))
    _require(given, dynamic=(None, {}), lm_head=(None, False), modules_to_not_convert=(None, []))
    _require(given, modules_in_block_to_quantize=(None,))
    words, (group,) = 32 // given["bits"], _sizes(given, "group_size", 1)
    stacks = {stack for one in tensors.weights if (stack := stack_of(starred(one.path)))}
    if len(stacks) != 1:
        raise InvalidInput("GPTQ packs the layers of one stack, and this model has several")
    blocks = (Block(1, words, 4), Block(1, group, 2), Block(words, group, 4), Block(0, 1, 4))
    return _linears(f"{given['bits']} bits", group, blocks, lambda name: not lies_in(name, *stacks))


def _awq(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    _require(given, bits=(4,), version=(None, "gemm", "GEMM"), zero_point=(None, True))
    (group,) = _sizes(given, "group_size", 1)
    blocks = (Block(8, 1, 4), Block(1, group, 2), Block(8, group, 4))
    return _linears("4 bits", group, blocks, _excluded(given, tensors, adds_defaults=True))


def _linears(
    label: str, group: int, blocks: tuple[Block, ...], excluded: Callable[[str], bool]
) -> Rule:
    """Return the rule that packs every ``nn.Linear`` that is not excluded.

    Such files have the weights of experts one by one, and transformers may have them in one tensor.
    """
    packing = Packing(f"{label}, {f'groups of {group}' if group else 'one group'}", blocks)

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        if axes < 2 or excluded(parent(path)):
            return None
        if module.kind in ("parameter", "conv1d"):
            raise InvalidInput(f"there is no rule for {shown(path)}, which is not in an nn.Linear")
        return packing if module.kind == "linear" else None

    return rule


def _excluded(
    given: Mapping[str, Any], tensors: Tensors, adds_defaults: bool
) -> Callable[[str], bool]:
    """Return whether transformers leaves the module of a name as it is."""
    key = "modules_to_not_convert"
    names = given.get(key) or []
    if not isinstance(names, list) or len(names) > MOST_NAMES:
        raise _no_rule(key, names, "a list of names")
    modules = {parent(path) for one in tensors.weights for path in (one.path, *one.others)}
    own = set(kept_in_float32(tensors.types))
    if adds_defaults or given.get(key) is None:
        # transformers means the last module, and names its bias if it has one.
        head, last = head_of(tensors.class_name, modules), tensors.weights[-1].path
        own |= {last.removesuffix(".weight"), *([head] if head else [])}
        tied = (one for one in tensors.weights if one.others)
        own |= {one.removesuffix(".weight") for some in tied for one in (some.path, *some.others)}
    patterns = {}
    for name in (*names, *own):
        if not isinstance(name, str) or not PATTERN.fullmatch(name):
            raise _no_rule(key, name, "a list of names, with at most three .* in each")
        patterns[name] = re.compile(rf"(?:{name})(?:(?<=\.)|(?=\.|$))")

    def matches(name: str, module: str) -> bool:
        return patterns[name].match(module) is not None or module.endswith(name)

    for name in names:
        if name != HEAD and not any(matches(name, one) for one in modules):
            raise InvalidInput(f"{key} names {shown(name)}, and there is no such module", key=key)
    return lambda module: any(matches(name, module) for name in patterns)


def _sizes(given: Mapping[str, Any], key: str, number: int) -> list[int]:
    """Return one or more sizes of groups, of which -1, a whole row, becomes 0."""
    value = given.get(key)
    sizes: list[Any] = value if isinstance(value, list) else [value]
    are_sizes = all(type(one) is int and -1 <= one <= LARGEST_GROUP and one for one in sizes)
    if not are_sizes or len(sizes) != number:
        raise _no_rule(key, value, "[128, 128], or other sizes" if number > 1 else "a size, or -1")
    return [max(one, 0) for one in sizes]


def _require(given: Mapping[str, Any], **allowed: tuple[Any, ...]) -> None:
    """Raise ``InvalidInput`` if a key has a value without a rule."""
    for key, values in allowed.items():
        value = given.get(key)
        if not any(type(value) is type(one) and value == one for one in values):
            right = " or ".join("absent" if one is None else str(one) for one in values)
            raise _no_rule(key, value, right)


def _no_rule(key: str, value: object, right: str) -> InvalidInput:
    return InvalidInput(
        f"there is no rule for {pair_text(key, value)}: it must be {right}", key=key
    )
