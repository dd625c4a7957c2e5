"""The scheme of a file: what its ``quantization_config`` says of its weights.

* ``fp8``, with blocks: every ``nn.Linear`` and experts in one tensor, with float32 scales, as
  DeepSeek-V3 stores them. ``modules_to_not_convert`` stay; without it the head and tied weights.
* ``mxfp4``: the experts of gpt-oss, 32 values in 16 bytes and a scale of 8 bits.
* ``gptq``, ``awq``: every ``nn.Linear`` of the layers, or every one but the head, packed into words
  of 32 bits, with scales of 16 bits and packed zero points; GPTQ has the group of each input too.
* ``compressed-tensors``, with one group of weights: integers in words, or float8.

Names in a file may be patterns. They come from strangers, so a pattern that could take long is
refused, and so is a name that no module has: it would be packed without a word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from paramproof.catalogue.names import QUANTIZATION
from paramproof.following.dtypes import DEFAULT, DTYPES, Tensors
from paramproof.following.modules import Module, kept_in_float32
from paramproof.following.packing import Block, Packing, Scheme
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import leaf, parent, stack_of, starred
from paramproof.formulas.printing import pair_text, shown
from paramproof.resolver.models import ConfigReading

CONFIG = "config"

HEAD = "lm_head"

PLAIN_PATTERN = re.compile(r"(?:\.\*|\\d\+|\\\.|[\w\-.^$])*")
"""Names with ``.*`` and ``\\d+``, and nothing else that repeats."""

MOST_REPEATS = 3
MOST_PATTERNS = 10_000
LONGEST_PATTERN = 200

Excludes = Callable[[str], bool]
Rule = Callable[[str, Module, int], Packing | None]


def as_configured(reading: ConfigReading, tensors: Tensors) -> Scheme:
    """Return the scheme of a configuration. Raises ``InvalidInput`` if it has none that is known."""
    given = reading.keys.get(QUANTIZATION) or reading.keys.get("compression_config")
    if not isinstance(given, Mapping):
        raise InvalidInput(f"the configuration does not have the key {QUANTIZATION}", key=QUANTIZATION)
    method = given.get("quant_method")
    rules: dict[Any, Callable[[Mapping[str, Any], Tensors], Rule]] = {
        "fp8": _fp8,
        "mxfp4": _mxfp4,
        "gptq": _gptq,
        "awq": _awq,
        "compressed-tensors": _compressed,
    }
    if not isinstance(method, str) or method not in rules:
        what = f"there is no rule for {pair_text('quant_method', method)}"
        raise InvalidInput(f"{what}: there are rules for {', '.join(rules)}", key=QUANTIZATION)
    dtype = reading.dtype if reading.dtype in DTYPES else DEFAULT
    heading = f"Bytes as {QUANTIZATION} says: {method}, the rest in {dtype}"
    return Scheme(heading, dtype, rules[method](given, tensors))


def _fp8(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    _require(given, activation_scheme=("dynamic",), scale_fmt=(None, "float", "ue8m0"))
    _require(given, expert_dtype=(None, "fp8"), modules_to_convert=(None, []))
    blocks = given.get("weight_block_size")
    if not (isinstance(blocks, list) and len(blocks) == 2 and all(map(_is_size, blocks))):
        raise _unknown("weight_block_size", blocks, "two sizes, as [128, 128]")
    scale = 1 if given.get("scale_fmt") == "ue8m0" else 4
    label = f"float8, blocks of {blocks[0]} × {blocks[1]}"
    packing = Packing(label, (Block(1, 1, 1), Block(*blocks, scale)), is_padded=True)
    excluded = _not_converted(given, tensors, adds_defaults=False)

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        if module.kind == "parameter" and leaf(parent(path)) == "experts":
            if path.endswith("bias"):
                raise InvalidInput("fp8 does not support experts with biases")
            return packing if axes == 3 and not excluded(parent(path)) else None
        is_linear = module.kind == "linear" and axes == 2
        return packing if is_linear and not excluded(parent(path)) else None

    return rule


def _mxfp4(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    if "gpt_oss" not in tensors.types:
        raise InvalidInput(f"mxfp4 is a format of gpt_oss, not of {tensors.types[0]}")
    packing = Packing("mxfp4, blocks of 32", (Block(1, 2, 1), Block(1, 32, 1)))
    excluded = _not_converted(given, tensors, adds_defaults=False)

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        is_packed = module.kind == "parameter" and axes == 3 and leaf(parent(path)) == "experts"
        return packing if is_packed and not excluded(parent(path)) else None

    return rule


def _gptq(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    _require(given, bits=(2, 4, 8), checkpoint_format=(None, "gptq", "gptq_v2"))
    _require(given, dynamic=(None, {}), lm_head=(None, False), modules_to_not_convert=(None, []))
    words, group = 32 // given["bits"], _group(given)
    stacks = {stack_of(starred(one.path)) for one in tensors.weights} - {None}
    if len(stacks) != 1:
        raise InvalidInput("GPTQ quantizes one stack of layers, and this model has several")
    within = given.get("modules_in_block_to_quantize")
    names = {name for some in within for name in some} if isinstance(within, list) else None
    blocks = (Block(1, words, 4), Block(1, group, 2), Block(words, group, 4), Block(0, 1, 4))
    packing = Packing(f"{given['bits']} bits, {_groups(group)}", blocks)

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        before = stack_of(starred(path))
        if axes < 2 or before is None:
            return None
        _require_linear(path, module)
        name = parent(path).split(".", before.count(".") + 2)[-1]
        return packing if module.kind == "linear" and (names is None or name in names) else None

    return rule


def _awq(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    _require(given, bits=(4,), version=(None, "gemm", "GEMM"), zero_point=(None, True))
    group = _group(given)
    blocks = (Block(8, 1, 4), Block(1, group, 2), Block(8, group, 4))
    packing = Packing(f"4 bits, {_groups(group)}", blocks)
    excluded = _not_converted(given, tensors, adds_defaults=True)

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        if axes < 2 or excluded(parent(path)):
            return None
        _require_linear(path, module)
        return packing if module.kind == "linear" else None

    return rule


def _compressed(given: Mapping[str, Any], tensors: Tensors) -> Rule:
    groups = given.get("config_groups")
    group = next(iter(groups.values())) if isinstance(groups, Mapping) and len(groups) == 1 else None
    weights = group.get("weights") if isinstance(group, Mapping) else None
    if not isinstance(group, Mapping) or not isinstance(weights, Mapping):
        raise _unknown("config_groups", groups, "one group, with weights")
    _require(given, kv_cache_scheme=(None,), sparsity_config=(None, {}), transform_config=(None, {}))
    _require(group, targets=(["Linear"],), output_activations=(None,))
    inputs = group.get("input_activations")
    if inputs is not None and not (isinstance(inputs, Mapping) and inputs.get("dynamic") is True):
        raise _unknown("input_activations", inputs, "null, or dynamic")
    _require(weights, symmetric=(None, True), strategy=("group", "channel"))
    size = _group(weights) if weights.get("strategy") == "group" else 0
    scale = Block(1, size, 2)
    form = given.get("format")
    if form == "pack-quantized":
        _require(weights, num_bits=(4, 8), type=("int",))
        blocks: tuple[Block, ...] = (Block(1, 32 // weights["num_bits"], 4), scale, Block(0, 0, 16))
    elif form in ("float-quantized", "int-quantized", "naive-quantized"):
        _require(weights, num_bits=(8,), type=("float", "int"))
        blocks = (Block(1, 1, 1), scale)
    else:
        raise _unknown("format", form, "pack-quantized, float-quantized or int-quantized")
    packing = Packing(f"{weights['num_bits']} bits, {_groups(size)}", blocks)
    ignored = _names(given, "ignore")
    exact = {one for one in ignored if not one.startswith("re:")}
    patterns = [_pattern(one[3:]) for one in ignored if one.startswith("re:")]
    excluded = _known(
        ignored, tensors, lambda name: name in exact or any(one.match(name) for one in patterns)
    )

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        if axes < 2 or excluded(parent(path)):
            return None
        _require_linear(path, module)
        return packing if module.kind == "linear" else None

    return rule


def _require_linear(path: str, module: Module) -> None:
    """Raise ``InvalidInput`` for experts in one tensor: such files have them one by one."""
    if module.kind == "parameter" and not path.endswith("weight"):
        raise InvalidInput(f"there is no rule for {shown(path)}, which is no nn.Linear")


def _not_converted(given: Mapping[str, Any], tensors: Tensors, adds_defaults: bool) -> Excludes:
    """Return whether transformers leaves a module of a name as it is."""
    named = _names(given, "modules_to_not_convert")
    own = set(named)
    if adds_defaults or given.get("modules_to_not_convert") is None:
        # The head, tied weights, and the last module.
        own |= {HEAD, parent(tensors.weights[-1].path)}
        own |= {parent(path) for one in tensors.weights if one.others for path in (one.path, *one.others)}
    own |= {*kept_in_float32(tensors.types)}
    patterns = [re.compile(rf"(?:{_pattern(one).pattern})(?:(?<=\.)|(?=\.|$))") for one in own]

    def excludes(name: str) -> bool:
        return any(name.endswith(one) for one in own) or any(one.match(name) for one in patterns)

    return _known(named, tensors, excludes)


def _known(names: Iterable[str], tensors: Tensors, excludes: Excludes) -> Excludes:
    modules = {parent(path) for one in tensors.weights for path in (one.path, *one.others)}
    text = "\n".join(modules)
    for name in names:
        plain = name.removeprefix("re:")
        is_there = plain == HEAD or f"{plain}." in f"{text}." or plain in text
        if not is_there and not any(_pattern(plain).match(one) for one in modules):
            raise InvalidInput(f"no module is named {shown(name)}", key=QUANTIZATION)
    return excludes


def _pattern(given: str) -> re.Pattern[str]:
    repeats = given.count("*") + given.count("+")
    if not PLAIN_PATTERN.fullmatch(given) or repeats > MOST_REPEATS:
        raise InvalidInput(f"the pattern {shown(given)} is not supported", key=QUANTIZATION)
    return re.compile(given)


def _names(given: Mapping[str, Any], key: str) -> list[str]:
    names = given.get(key)
    if names is None:
        return []
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise _unknown(key, names, "a list of names")
    if len(names) > MOST_PATTERNS or any(len(one) > LONGEST_PATTERN for one in names):
        raise InvalidInput(f"{key} has too many names, or too long ones", key=QUANTIZATION)
    return names


def _group(given: Mapping[str, Any]) -> int:
    """Return the size of a group, 0 for a whole row."""
    size = given.get("group_size")
    if size == -1:
        return 0
    if not _is_size(size):
        raise _unknown("group_size", size, "a number of weights, or -1")
    return int(size or 0)


def _groups(size: int) -> str:
    return f"groups of {size}" if size else "a scale for each row"


def _is_size(value: object) -> bool:
    return type(value) is int and 0 < value <= 2**20


def _require(given: Mapping[str, Any], **allowed: tuple[Any, ...]) -> None:
    """Raise ``InvalidInput`` if a key has a value without a rule."""
    for key, values in allowed.items():
        if not any(type(given.get(key)) is type(one) and given.get(key) == one for one in values):
            right = " or ".join("absent" if one is None else str(one) for one in values)
            raise _unknown(key, given.get(key), right)


def _unknown(key: str, value: object, right: str) -> InvalidInput:
    what = f"there is no rule for {pair_text(key, value)}: it must be {right}"
    return InvalidInput(what, key=QUANTIZATION)
