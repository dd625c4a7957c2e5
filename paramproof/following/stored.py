"""Bytes of a model under a named scheme, tensor by tensor: what its weights take in a file.

A scheme packs some matrices into blocks and keeps the rest. A block covers rows and columns of a
matrix, where a row makes one output: 4 bits a weight are 4 bytes for 1 row and 8 columns, and the
scales of W4A16 are 2 bytes for 1 row and 128 columns. So one rule has words, scales, zero points
and the shapes that some formats store, and gives bytes in numbers and in letters.

* ``bfloat16``, ``float16``, ``float32``: as transformers builds the model, with what it creates in
  float32 whatever the dtype.
* ``w4a16``, ``fp8``: every ``nn.Linear`` but the ``lm_head``, as compressed-tensors does. It leaves
  experts in one tensor as they are, since these are no ``nn.Linear``.
* ``mlx4``, ``mlx8``, ``mxfp4``: what ``mlx.nn.quantize`` packs of mlx-lm's model, all at one width.
* ``q4_k``, ``q8_0`` …: all matrices in one type of GGUF, and vectors in float32. llama.cpp mixes
  types in a file.
* ``config``: as the ``quantization_config`` of the file says; see ``as_configured``.

A scheme refuses a tensor for which it has no rule. A file also has a header, which is not counted.
"""

from __future__ import annotations

from collections import Counter
from math import prod

from paramproof.following.answer import Answer
from paramproof.following.as_configured import CONFIG, as_configured
from paramproof.following.dtypes import (
    DTYPES,
    ELEMENT_BYTES,
    Tensors,
    Weight,
    buffer_bytes,
    dtype_of,
    tensors_of,
)
from paramproof.following.modules import Module, matrices_of_mlx, module_of
from paramproof.following.packing import Block, Packing, Scheme, columns_first, packed_size
from paramproof.following.tensors import require_transformers
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import InvalidInput, canonical_name, no_such
from paramproof.formulas.expression import Expression, expression, sum_of, text
from paramproof.formulas.path import starred
from paramproof.formulas.printing import legible, shape_text
from paramproof.resolver import Model
from paramproof.resolver.models import ConfigReading
from paramproof.tables import Column, Table, TableRow, numbers

HEAD = "lm_head.weight"

COLUMNS = (
    Column("tensor", "tensor", is_code=True),
    Column("shape", "shape", form=shape_text, is_whole=True),
    Column("stored as", "stored"),
    numbers("times", "times"),
    numbers("bytes", "bytes"),
)

COMPRESSED = {
    "w4a16": Packing("4 bits, groups of 128", (Block(1, 8, 4), Block(1, 128, 2), Block(0, 0, 16))),
    "fp8": Packing("8 bits, a scale for each row", (Block(1, 1, 1), Block(1, 0, 2))),
}
"""Packed words, scales and, as int64, the shape; or one byte for each weight, and scales."""

MLX = {
    "mlx4": Packing("4 bits, groups of 64", (Block(1, 8, 4), Block(1, 64, 4))),
    "mlx8": Packing("8 bits, groups of 64", (Block(1, 4, 4), Block(1, 64, 4))),
    "mxfp4": Packing("mxfp4, groups of 32", (Block(1, 8, 4), Block(1, 32, 1))),
}
"""Words of 32 bits, and a scale and a bias of 16 bits for each group, or a scale of 8 bits."""

_BLOCKS = """
    q4_0 32 18 q4_1 32 20 q5_0 32 22 q5_1 32 24 q8_0 32 34 iq4_nl 32 18
    q2_k 256 84 q3_k 256 110 q4_k 256 144 q5_k 256 176 q6_k 256 210 iq4_xs 256 136
    iq1_s 256 50 iq1_m 256 56 iq2_xxs 256 66 iq2_xs 256 74 iq2_s 256 82 iq3_xxs 256 98
    iq3_s 256 110 tq1_0 256 54 tq2_0 256 66
"""
GGUF = {
    name: (int(weights), int(size))
    for name, weights, size in zip(*[iter(_BLOCKS.split())] * 3, strict=True)
}
"""The weights and the bytes of a block."""

SCHEMES = (*DTYPES, *COMPRESSED, *MLX, *GGUF, CONFIG)


def stored(model: Model, scheme: str) -> Answer:
    """Return the bytes of a model's weights under a scheme, in total and tensor by tensor.

    Raises ``UnknownName`` for a scheme that does not exist, and ``InvalidInput`` for a tensor
    without a rule.
    """
    if (name := canonical_name(scheme, SCHEMES) if isinstance(scheme, str) else None) is None:
        raise no_such("scheme", scheme, SCHEMES)
    found, reading, entry = require_transformers(model, "stored bytes")
    try:
        tensors = tensors_of(entry)
        chosen = as_configured(reading, tensors) if name == CONFIG else None
        chosen = chosen or _named(name, reading, tensors)
        rows = Counter(_row(one, chosen, tensors) for one in tensors.weights)
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error.reason}", where=model.title, key=error.key) from None
    total = sum(size * times for (*_, size), times in rows.items())
    formula = _formula(found, chosen, tensors)
    # Some blocks are not full, or layers differ in what they pack.
    letters = text(formula) if formula is not None and formula.value(found.sizes) == total else None
    buffers = buffer_bytes(tensors, chosen.dtype) if name in DTYPES else None
    table = Table.of(COLUMNS, (TableRow((*row[:3], n, row[3] * n)) for row, n in rows.items()))
    lines = [f"{total:,} bytes", *([f"in letters: {letters}"] if letters else []), *chosen.lines]
    if buffers:
        lines.append(f"and {buffers:,} bytes of buffers, which a file has too")
    data = {"scheme": name, "dtype": chosen.dtype, "bytes": total, "formula": letters}
    data |= {"buffers": buffers, "tensors": [*table.records()]}
    return Answer(chosen.heading, table, tuple(lines), data)


def _row(one: Weight, scheme: Scheme, tensors: Tensors) -> tuple[str, tuple[int, ...], str, int]:
    """Return the path with stars, the shape, the label and the bytes of a weight."""
    packing = scheme.rule(one.path, one.module, len(one.shape))
    for other in one.others:
        if scheme.rule(other, module_of(tensors.types, other), len(one.shape)) != packing:
            raise InvalidInput(
                f"{legible(one.path)} is tied to {legible(other)}, and one is packed"
            )
    if packing:
        return starred(one.path), one.shape, packing.label, packed_size(one, packing)
    dtype = scheme.unpacked_dtype(one.module)
    return starred(one.path), one.shape, dtype, one.count * ELEMENT_BYTES[dtype]


def _formula(found: Derivation, scheme: Scheme, tensors: Tensors) -> Expression | None:
    """Return the bytes in letters, where every block is full; None if some module is not known."""
    sizes = []
    for one in found.parameters:
        try:
            module = module_of(tensors.types, one.path)
            packing = scheme.rule(one.path, module, len(one.shape))
        except InvalidInput:
            return None
        if packing:
            *outer, rows, columns = one.shape
            turned = columns_first(one.path, module)
            across = (columns, rows) if turned else (rows, columns)
            each = sum_of(expression(block.formula(*across)) for block in packing.blocks)
            sizes.append(prod(outer, start=each) * one.times)
        else:
            sizes.append(one.size * ELEMENT_BYTES[scheme.unpacked_dtype(module)])
    return sum_of(sizes)


def _named(name: str, reading: ConfigReading, tensors: Tensors) -> Scheme:
    dtype = dtype_of(reading)
    if name in DTYPES:
        return Scheme(f"bytes in {name}, as transformers builds it", name, lambda *_: None)
    if name in COMPRESSED:
        return _compressed(name, dtype, tensors)
    return _mlx(name, dtype, tensors) if name in MLX else _gguf(name, dtype)


def _compressed(name: str, dtype: str, tensors: Tensors) -> Scheme:
    def rule(path: str, module: Module, axes: int) -> Packing | None:
        if module.kind != "linear" or axes != 2 or path == HEAD:
            return None
        if ELEMENT_BYTES[module.dtype or dtype] != 2:
            raise InvalidInput(f"there is no rule for {legible(path)}, which is in float32")
        return COMPRESSED[name]

    left = sum(one.count for one in tensors.weights if one.module.kind == "parameter")
    line = f"{left:,} parameters that are no nn.Linear, as experts in one tensor, are not packed"
    heading = (
        f"bytes in {name} of compressed-tensors: all nn.Linear but the head, others in {dtype}"
    )
    return Scheme(heading, dtype, rule, lines=(line,) if left else ())


def _mlx(name: str, dtype: str, tensors: Tensors) -> Scheme:
    known = matrices_of_mlx(tensors.types[0])
    head = "own" if any(one.path == HEAD for one in tensors.weights) else "tied"
    if dtype == "float32" or head not in known["heads"]:
        raise InvalidInput(f"mlx-lm has no such model in {dtype}, whose head is {head}")

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        is_mere = module.kind == "parameter" and axes > 1 and not path.endswith("bias")
        if is_mere and not path.endswith((*known["packed"], *known["kept"])):
            raise InvalidInput(f"it is not known how mlx-lm has {legible(path)}")
        is_packed = is_mere and path.endswith(known["packed"])
        is_packed = is_packed or (axes > 1 and module.kind in ("linear", "conv1d", "embedding"))
        return MLX[name] if is_packed else None

    return Scheme(f"bytes in {name} of MLX: all matrices, others in {dtype}", dtype, rule, dtype)


def _gguf(name: str, dtype: str) -> Scheme:
    weights, size = GGUF[name]
    packing = Packing(f"{name.upper()}, blocks of {weights}", (Block(1, weights, size),))

    def rule(path: str, module: Module, axes: int) -> Packing | None:
        if axes > 1 and module.kind in ("conv", "norm"):
            raise InvalidInput(f"there is no rule for {legible(path)} of a {module.kind}")
        return packing if axes > 1 and not path.endswith("bias") else None

    heading = f"bytes in {name.upper()} of GGUF: all matrices, vectors in float32"
    return Scheme(heading, dtype, rule, "float32")
