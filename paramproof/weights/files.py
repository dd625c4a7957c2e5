"""Canonical weights in a file: safetensors, with the spec in its header.

The format is a JSON header and the arrays' bytes, and nothing in it is executed. Weights pass
between processes in this form, when frameworks cannot share one.

Source: https://github.com/huggingface/safetensors, section "Format".
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from paramproof.builders.protocol import Array
from paramproof.formulas import Spec
from paramproof.formulas.families import spec_fields
from paramproof.formulas.printing import MAX_MESSAGE_SHOWN, legible, path_text, shown
from paramproof.sources.checkpoints import SPEC, StoredTensor, read_header
from paramproof.weights.transfer import dtype_of, require_canonical

DTYPES = {"F32": "<f4", "F64": "<f8", "F16": "<f2", "BF16": "<u2"}
"""Types that weights are read from, in the words of the format, and as NumPy reads their bytes.

They are saved in the first two.
"""


def save_weights(path: str | Path, arrays: Mapping[str, Array], spec: Spec) -> None:
    """Write canonical weights of ``spec``, all of one dtype, to the file ``path``.

    The file appears, or is replaced, whole or not at all. Raises ``ValueError`` where the
    arrays are not the weights of ``spec``, as ``assign_weights`` does, and ``OSError`` where
    nothing can be written there.
    """
    require_canonical(spec, dtype_of(arrays), arrays)
    # safetensors writes a transposed array in the order of its memory, under its own shape.
    contiguous = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    target = Path(path)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as beside:
        whole = Path(beside) / target.name
        save_file(contiguous, whole, {SPEC: json.dumps(spec_fields(spec))})
        os.replace(whole, target)


def read_weights(path: str | Path, spec: Spec) -> dict[str, Array]:
    """Return the canonical weights of ``spec`` in the file ``path``, written by ``save_weights``.

    The file may have been converted to half precision since: F16 and BF16 are read as float32,
    which has each of their values exactly. Raises ``ValueError``, naming the file, if it cannot
    be read, is not a whole safetensors file, or has anything but finite weights of ``spec``.
    """
    try:
        if not Path(path).is_file():
            raise ValueError("there is no such file")
        header = read_header(Path(path))
        _require_record(header.metadata, spec)
        for name, entry in header.tensors.items():
            if entry.dtype not in DTYPES:
                found = f"{legible(name)} is {entry.dtype}"
                raise ValueError(f"{found}; weights are {' or '.join(DTYPES)}")
        arrays = {n: _values(path, header.end, entry) for n, entry in header.tensors.items()}
        require_canonical(spec, dtype_of(arrays), arrays)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path_text(path)}: {legible(error, MAX_MESSAGE_SHOWN)}") from None
    return arrays


def _values(path: str | Path, start: int, entry: StoredTensor) -> Array:
    """Return one tensor, half precision as float32; the first one's bytes begin at ``start``."""
    kind = np.dtype(DTYPES[entry.dtype])
    number = (entry.last - entry.first) // kind.itemsize
    array = np.fromfile(path, kind, number, offset=start + entry.first)
    if entry.dtype == "BF16":
        # NumPy has no bfloat16, which is the upper half of a float32.
        array = (array.astype("<u4") << 16).view("<f4")
    dtype = "float64" if entry.dtype == "F64" else "float32"
    return array.astype(dtype, copy=False).reshape(entry.shape)


def _require_record(metadata: Mapping[str, str], spec: Spec) -> None:
    try:
        fields = dict(json.loads(metadata[SPEC]))
    except (KeyError, RecursionError, TypeError, ValueError):
        raise ValueError("its header does not say of what spec the weights are") from None
    wanted = spec_fields(spec)
    other = [
        f"{legible(name)}={shown(fields.get(name))}, not {wanted.get(name)!r}"
        for name in {**wanted, **fields}
        if fields.get(name) != wanted.get(name)
    ]
    if other:
        raise ValueError(f"these are weights of {'; '.join(other)}")
