"""Write which module owns each tensor, and its dtype: ``python -m sweep.modules``.

Run it in the checkout, with PyTorch, transformers, timm and Pillow installed. It builds each class
of the catalogue on the meta device in bfloat16, at its defaults and at configurations that are
drawn, and writes ``paramproof/following/modules.json``.

Names mean little by themselves: ``out_proj`` is linear in most types, and a convolution in some. So
a row is the shortest end of a path at which all types agree, or each type agrees with itself; the
row then lists them.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import torch
import transformers
from torch import nn
from transformers import CONFIG_MAPPING
from transformers.pytorch_utils import Conv1D

from paramproof.builders.meta import meta
from paramproof.catalogue.names import classes_of, has_type, model_types
from paramproof.following.modules import (
    NORMAL,
    SEVERAL,
    START,
    backwards,
    numbered,
)
from sweep.library.keys import Keys
from sweep.library.model import attempt, config_of
from sweep.library.rows import as_rows, write_rows
from sweep.samples.adversary import draw_config, published_configs

KINDS: Mapping[str, tuple[type[nn.Module], ...]] = {
    "linear": (nn.Linear,),
    "conv1d": (Conv1D,),
    "embedding": (nn.Embedding,),
    "conv": (nn.modules.conv._ConvNd,),
    "norm": (nn.LayerNorm, nn.GroupNorm, nn.modules.batchnorm._NormBase),
}
DRAWS = 2
"""Published configurations of each type, and drawn ones, beside the defaults of its classes."""

TRIES = 12
"""The configurations that are drawn for a class whose defaults build no model."""

Labels = dict[str, set[tuple[str, str]]]
"""The kinds of the module of each tensor, or ``buffer``, and its dtypes, by path."""

Leaf = tuple[tuple[str, ...], Mapping[str, str]]
"""The names of a path, the last one first, and the label that each type has there."""

Rows = dict[str, Any]

SUBCLASSES: dict[str, set[str]] = defaultdict(set)
"""The subclasses of ``nn.Linear`` in the models of a type, which transformers' fp8 leaves out."""


def main() -> int:
    """Write the file. What ``sweep.mlx_lm.matrices`` writes stays."""
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    types = {name: observe(name) for name in model_types() if has_type(name)}
    kept = as_rows({name: kept_in_float32(name) for name in types})
    write_rows(**tables(types), float32=kept, subclasses=as_rows(SUBCLASSES))
    return 0


def observe(model_type: str) -> Labels:
    found: Labels = defaultdict(set)
    for name, many in configurations(model_type):
        for keys in many:
            if (model := attempt(build, name, keys)) is not None:
                for path, label in labels_of(model).items():
                    found[path].add(label)
                classes = {type(one) for one in model.modules() if isinstance(one, nn.Linear)}
                SUBCLASSES[model_type] |= {one.__name__ for one in classes - {nn.Linear}}
                break
        else:
            print(f"{name} of {model_type} is not built", file=sys.stderr, flush=True)
    return found


def configurations(model_type: str) -> Iterator[tuple[str, list[Keys]]]:
    """Yield classes of a type with configurations, of which the first that builds one is meant."""
    names = classes_of(model_type)
    drawn = [draw_config(model_type, Random(seed)) for seed in range(TRIES)]
    for name in names:
        yield name, [{"model_type": model_type}, *drawn]
    for one in published_configs().get(model_type, ())[:DRAWS]:
        yield (one.get("architectures") or names)[0], [one]
    for number in range(DRAWS):
        random = Random(f"learn {number} {model_type}")
        yield random.choice(names), [draw_config(model_type, random)]


def build(name: str, keys: Keys, dtype: torch.dtype = torch.bfloat16) -> Any:
    """Make a model as ``from_config`` does for a dtype."""
    with warnings.catch_warnings(action="ignore"):
        config = config_of(CONFIG_MAPPING[keys["model_type"]], keys)
        with meta():
            return getattr(transformers, name)._from_config(config, dtype=dtype)


def labels_of(model: nn.Module) -> dict[str, tuple[str, str]]:
    found = {}
    for prefix, module in model.named_modules(remove_duplicate=False):
        own = "norm" if "Norm" in type(module).__name__ else "parameter"
        own = next((one for one, kinds in KINDS.items() if isinstance(module, kinds)), own)
        for kind, tensors in ((own, module._parameters), ("buffer", module._buffers)):
            for name, one in tensors.items():
                if one is not None:
                    path = f"{prefix}.{name}".lstrip(".")
                    found[path] = kind, str(one.dtype).removeprefix("torch.")
    return found


def kept_in_float32(model_type: str) -> set[str]:
    """Return the names that no scheme packs, since transformers loads them in float32."""
    classes = [getattr(transformers, name) for name in classes_of(model_type)]
    return {one for of in classes for one in of._keep_in_fp32_modules or ()}


def tables(types: Mapping[str, Labels]) -> Rows:
    dtypes = rows(leaves(types, 1, are_buffers=False))
    return {
        "versions": {"transformers": transformers.__version__},
        "modules": rows(leaves(types, 0, are_buffers=False)),
        "dtypes": {
            end: row if isinstance(row, str) else {k: v for k, v in row.items() if k != NORMAL}
            for end, row in dtypes.items()
            if row != NORMAL
        },
        "buffers": rows(leaves(types, 1, are_buffers=True)),
    }


def leaves(types: Mapping[str, Labels], place: int, are_buffers: bool) -> list[Leaf]:
    """Return the labels of all types; numbers stay in a path only if they decide the label."""
    found: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for model_type, paths in types.items():
        by_star: dict[tuple[str, ...], dict[tuple[str, ...], set[str]]] = {}
        for path, pairs in paths.items():
            if labels := {one[place] for one in pairs if (one[0] == "buffer") == are_buffers}:
                names = backwards(path)
                many = by_star.setdefault(tuple(map(numbered, names)), {})
                many.setdefault(names, set()).update(labels)
        for star, many in by_star.items():
            every = set[str]().union(*many.values())
            for own, labels in {star: every}.items() if len(every) == 1 else many.items():
                found[own][model_type] = labels.pop() if len(labels) == 1 else SEVERAL
    return [*found.items()]


def rows(items: Sequence[Leaf], end: tuple[str, ...] = (), is_listed: bool = False) -> Rows:
    """Return the fewest rows for the leaves below an end of paths."""
    by_type: dict[str, set[str]] = defaultdict(set)
    for _, labels in items:
        for model_type, label in labels.items():
            by_type[model_type].add(label)
    own: Rows = {}
    is_name = any(name != "weight" and numbered(name) != "*" for name in end)
    if is_name and all(len(labels) == 1 for labels in by_type.values()):
        of: dict[str, str] = {}
        for model_type, (label,) in sorted(by_type.items()):
            of[label] = f"{of.get(label, '')} {model_type}".strip()
        own = {".".join(end[::-1]): next(iter(of)) if len(of) == 1 and not is_listed else of}
        if len(of) == 1:
            return own
    below: dict[str, list[Leaf]] = defaultdict(list)
    for names, labels in items:
        below[[*names[len(end) :], START][0]].append((names, labels))
    if list(below) == [START]:
        return own
    deeper: Rows = {}
    for name, some in below.items():
        # Some types need the number here, and others do not: the rows of neither are general.
        alike = [one for one in below if numbered(one) == numbered(name)]
        is_mixed = len(alike) > 1 and numbered(name) in alike
        deeper |= rows(some, (*end, name), is_listed or is_mixed)
    return own if own and len(json.dumps(own)) < len(json.dumps(deeper)) else deeper


if __name__ == "__main__":
    sys.exit(main())
