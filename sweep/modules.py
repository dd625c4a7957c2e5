"""Write which module owns each tensor, and its dtype: ``python -m sweep.modules [--check SEED]``.

Run it in the checkout, with PyTorch, transformers, timm and Pillow installed. It builds each class
of the catalogue on the meta device in bfloat16, and writes ``paramproof/following/modules.json``.
A class whose defaults build no model gets configurations that are drawn; all types get some more.

Names mean little by themselves: ``out_proj`` is linear in most types, and a convolution in some. So
a row is the shortest end of a path at which all types agree, or each type agrees with itself; the
row then lists them. ``--check`` draws other configurations, and compares.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import torch
import transformers
from torch import nn
from transformers import CONFIG_MAPPING
from transformers.pytorch_utils import Conv1D

from paramproof.builders.meta import meta
from paramproof.catalogue.configurations import entry
from paramproof.catalogue.names import classes_of, has_type, model_types
from paramproof.following.modules import (
    FILE,
    NORMAL,
    START,
    Module,
    backwards,
    buffer_dtype,
    module_of,
    numbered,
)
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.path import starred
from sweep.library.keys import Keys
from sweep.library.model import attempt, config_of
from sweep.samples.adversary import draw_config, published_configs

KINDS: Mapping[str, tuple[type[nn.Module], ...]] = {
    "linear": (nn.Linear,),
    "conv1d": (Conv1D,),
    "embedding": (nn.Embedding,),
    "conv": (nn.modules.conv._ConvNd,),
    "norm": (nn.LayerNorm, nn.GroupNorm, nn.modules.batchnorm._NormBase),
}
DRAWS = 3
"""Configurations of each type beside the defaults."""

TRIES = 20

Seen = dict[str, tuple[str, str]]
"""The kind of the module and the dtype of each tensor, by path."""

Rows = dict[str, str | dict[str, str]]
"""A label by the end of a path, or labels with the types that have each."""


def build(name: str, keys: Keys, dtype: torch.dtype = torch.bfloat16) -> Any:
    """Make a model as ``from_config`` does for a dtype."""
    with warnings.catch_warnings(action="ignore"):
        config = config_of(CONFIG_MAPPING[keys["model_type"]], keys)
        with meta():
            return getattr(transformers, name)._from_config(config, dtype=dtype)


def seen(model: nn.Module) -> Seen:
    found: Seen = {}
    for prefix, module in model.named_modules(remove_duplicate=False):
        own = next((one for one, kinds in KINDS.items() if isinstance(module, kinds)), "parameter")
        own = "norm" if own == "parameter" and "Norm" in type(module).__name__ else own
        for kind, tensors in ((own, module._parameters), ("buffer", module._buffers)):
            for name, one in tensors.items():
                if one is not None:
                    path = f"{prefix}.{name}".lstrip(".")
                    found[path] = kind, str(one.dtype).removeprefix("torch.")
    return found


def configurations(model_type: str) -> Iterator[tuple[str, Keys]]:
    """Yield classes and configurations of a type, from which its rows are learnt."""
    names = classes_of(model_type)
    for name in names:
        yield name, {"model_type": model_type}
    for one in published_configs().get(model_type, ())[:DRAWS]:
        yield (one.get("architectures") or names)[0], one
    for number in range(DRAWS):
        random = Random(f"learn {number} {model_type}")
        yield random.choice(names), draw_config(model_type, random)


def observe(model_type: str) -> dict[str, set[tuple[str, str]]]:
    found: dict[str, set[tuple[str, str]]] = defaultdict(set)
    built = set()
    for name, keys in configurations(model_type):
        if model := attempt(build, name, keys):
            built.add(name)
            for path, one in seen(model).items():
                found[path].add(one)
    for name in {*classes_of(model_type)} - built:
        for seed in range(TRIES):
            if model := attempt(build, name, draw_config(model_type, Random(seed))):
                for path, one in seen(model).items():
                    found[path].add(one)
                break
        else:
            print(f"{name} of {model_type} is not built", file=sys.stderr, flush=True)
    return found


Leaf = tuple[tuple[str, ...], Mapping[str, str]]
"""The names of a path, the last one first, and the label that each type has there."""


def leaves(
    types: Mapping[str, Mapping[str, set[tuple[str, str]]]], place: int, are_buffers: bool
) -> list[Leaf]:
    """Return the labels of all types; numbers stay in a path only if they decide the label."""
    found: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for model_type, paths in types.items():
        by_star: dict[tuple[str, ...], dict[tuple[str, ...], set[str]]] = {}
        for path, pairs in paths.items():
            if labels := {one[place] for one in pairs if (one[0] == "buffer") == are_buffers}:
                names = backwards(path)
                by_star.setdefault(tuple(map(numbered, names)), {}).setdefault(names, set()).update(
                    labels
                )
        for star, several in by_star.items():
            every = set[str]().union(*several.values())
            for names, labels in [(star, every)] if len(every) == 1 else several.items():
                if len(labels) > 1:
                    print(f"{model_type}: {names} has {labels}", file=sys.stderr)
                found[names][model_type] = " ".join(sorted(labels))
    return [*found.items()]


def rows(items: Sequence[Leaf], end: tuple[str, ...] = (), is_listed: bool = False) -> Rows:
    """Return the fewest rows for the leaves below an end of paths."""
    by_type: dict[str, set[str]] = defaultdict(set)
    for _, labels in items:
        for model_type, label in labels.items():
            by_type[model_type].add(label)
    is_name = any(name not in ("weight", "*") and not name.isdigit() for name in end)
    own: Rows | None = None
    if is_name and all(len(labels) == 1 for labels in by_type.values()):
        listed: dict[str, list[str]] = defaultdict(list)
        for model_type, (label,) in sorted(by_type.items()):
            listed[label].append(model_type)
        of = {label: " ".join(names) for label, names in listed.items()}
        own = {".".join(end[::-1]): next(iter(of)) if len(of) == 1 and not is_listed else of}
        if len(of) == 1:
            return own
    below: dict[str, list[Leaf]] = defaultdict(list)
    for names, labels in items:
        below[[*names[len(end) :], START][0]].append((names, labels))
    if list(below) == [START]:
        return own or {}
    deeper: Rows = {}
    for name, some in below.items():
        # Some types need the number here, and others do not: the rows of neither are general.
        alike = [one for one in below if numbered(one) == numbered(name)]
        is_mixed = len(alike) > 1 and numbered(name) in alike
        deeper |= rows(some, (*end, name), is_listed or is_mixed)
    return own if own and len(json.dumps(own)) < len(json.dumps(deeper)) else deeper


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m sweep.modules", description=__doc__)
    parser.add_argument("--check", type=int, metavar="SEED", help="compare drawn configurations")
    options = parser.parse_args(arguments)
    names = [name for name in model_types() if has_type(name)]
    if options.check is not None:
        return check(names, options.check)
    types = {name: observe(name) for name in names}
    kinds = rows(leaves(types, 0, are_buffers=False))
    dtypes = rows(leaves(types, 1, are_buffers=False))
    data = {
        "transformers": transformers.__version__,
        "modules": kinds,
        "dtypes": {
            end: row if isinstance(row, str) else {k: v for k, v in row.items() if k != NORMAL}
            for end, row in dtypes.items()
            if row != NORMAL
        },
        "buffers": rows(leaves(types, 1, are_buffers=True)),
    }
    parts = [f'"transformers": {json.dumps(data.pop("transformers"))}']
    for what, of in data.items():
        lines = ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(of.items()))
        parts.append(f"{json.dumps(what)}: {{\n{lines}\n}}")
    FILE.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
    return 0


def check(names: Sequence[str], seed: int) -> int:
    """Compare drawn configurations, one of each type, and print what differs and the totals."""
    numbers = Counter[str]()
    for model_type in names:
        random = Random(f"check {seed} {model_type}")
        name, keys = random.choice(classes_of(model_type)), draw_config(model_type, random)
        found = attempt(entry, keys, name)
        if found and (model := attempt(build, name, keys)):
            numbers["models"] += 1
            types = [str(part.get("model_type")) for part in found.parts.values()]
            differing: dict[tuple[str, ...], str] = {}
            for path, one in seen(model).items():
                outcome = "right"
                try:
                    said = (
                        buffer_dtype(types, path) if one[0] == "buffer" else module_of(types, path)
                    )
                except InvalidInput:
                    outcome = "unknown"
                else:
                    dtype = "" if one[1] == NORMAL else one[1]
                    right = dtype if one[0] == "buffer" else Module(one[0], dtype)
                    outcome = "right" if said == right else "wrong"
                numbers[outcome] += 1
                if outcome != "right":
                    star = starred(path)
                    differing.setdefault((outcome, star), f"{one}")
            for (outcome, star), one in differing.items():
                print(f"{outcome}: {model_type} {name}: {star} is {one}", flush=True)
    print(dict(numbers))
    return 1 if numbers["wrong"] else 0


if __name__ == "__main__":
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    sys.exit(main(sys.argv[1:]))
