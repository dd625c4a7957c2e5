"""Derive entries from mlx-lm's models: ``python -m sweep.mlx_lm [TYPE ...]``.

Run it in the checkout, with MLX and mlx-lm installed. The types are those of ``models.toml``. With
``--check 200`` it derives nothing, and compares 200 random configurations of each type, drawn by
``--seed``, with the models that mlx-lm builds. Its status is 1 if a count differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from paramproof.catalogue.derivations import derivation_of, kept_variants
from paramproof.catalogue.entries import Entry, entry, own_sizes
from paramproof.catalogue.files import TypeFile, read_type
from paramproof.derivation.pipeline import DerivationError
from paramproof.tracing.tensor_groups import expected
from sweep.fields.probe_values import PROBES
from sweep.library.keys import Keys
from sweep.mlx_lm.entry import build_mlx_lm_entry, defaults_of, is_size, published_models
from sweep.samples.random_configs import JUDGED, Verdict, random_config
from sweep.store import write_entry
from sweep.witnesses.comparison import Group, Refused
from sweep.witnesses.mlx_lm import Groups, build

LIBRARY = "mlx-lm"

MAX_SIZE = 64
MAX_CHANGES = 3
EDITED_SHARE = 0.5
"""The share of configurations that are drawn without any knowledge of the entry."""


class Checked(NamedTuple):
    config: Keys
    verdict: Verdict
    why: str = ""

    def __str__(self) -> str:
        return f"{self.verdict.text(LIBRARY)}: {self.why}; {json.dumps(self.config)}"


def check_type(model_type: str, number: int, seed: int = 0) -> Iterator[Checked]:
    """Judge ``number`` random configurations of a type."""
    file, random = read_type(model_type), Random(f"{model_type} {seed}")
    for _ in range(number):
        is_edited = random.random() < EDITED_SHARE
        yield judge(edited_config(model_type, random) if is_edited else drawn_config(file, random))


def judge(config: Keys) -> Checked:
    """Compare the count of a configuration with mlx-lm's model, tensor by tensor."""
    try:
        found = entry(config)
    except ValueError as error:
        return Checked(config, Verdict.NOT_COUNTED, str(error))
    # mlx-lm asks for an epsilon, on which no count depends.
    keys = published_models()[config["model_type"]]["keys"].items()
    try:
        model = build({**{key: one for key, one in keys if type(one) is float}, **config})
    except Refused as error:
        return Checked(config, Verdict.REFUSED, str(error))
    apart = {one.path for one in (model - groups_of(found)) + (groups_of(found) - model)}
    return Checked(config, Verdict.OTHER if apart else Verdict.EQUAL, ", ".join(sorted(apart)))


def groups_of(found: Entry) -> Groups:
    counts = expected(found.derivation.tensors, found.sizes)
    groups = Counter[Group]()
    for one, number in counts.items():
        groups[Group(one.kind.path, one.shape)] += number
    return groups


def drawn_config(file: TypeFile, random: Random) -> Keys:
    """Draw a configuration that a variant of an entry covers."""
    (name,) = file.classes
    while True:
        variant = random.choice(kept_variants(file, name))
        sizes = own_sizes(file, variant.data.get("absent", ()))
        config = random_config(file, variant, derivation_of(file, variant, sizes), random)
        if config:
            return {**config, "architectures": [name]}


def edited_config(model_type: str, random: Random) -> Keys:
    """Draw a configuration from the keys of the model alone, some changed and some left out."""
    model = published_models()[model_type]
    config: Keys = {"model_type": model_type, "architectures": [model["class"]]}
    given, defaults = dict(model["keys"]), defaults_of(model_type)
    for name, default in defaults.items():
        value = given.get(name, default)
        if is_size(value):
            config[name] = random.randint(1, MAX_SIZE)
        elif name in given:
            config[name] = value
    for name in random.sample(sorted(defaults), random.randint(1, MAX_CHANGES)):
        if random.random() < 0.3:
            config.pop(name, None)
        elif is_size(config.get(name)):
            config[name] = random.choice([0, 1, None, 2 * config[name], config[name] + 1])
        else:
            config[name] = random.choice(random.choice(list(PROBES.values())))
    return config


def main(arguments: list[str]) -> int:
    """Run the command; return the status."""
    parser = argparse.ArgumentParser(
        prog="python -m sweep.mlx_lm", description="Derive entries from mlx-lm's models."
    )
    parser.add_argument("types", nargs="*", metavar="TYPE", help="model types (default: all)")
    parser.add_argument("--check", type=int, metavar="N", help="compare N random configurations")
    parser.add_argument("--seed", type=int, default=0, help="seed for random configurations")
    options = parser.parse_args(arguments)
    wanted = options.types or list(published_models())
    if unknown := sorted(set(wanted) - set(published_models())):
        print(f"models.toml has no type {', '.join(unknown)}", file=sys.stderr)
        return 2
    if options.check:
        return max(_check(name, options.check, options.seed) for name in wanted)
    return max(map(_derive, wanted))


def _check(name: str, number: int, seed: int) -> int:
    """Compare configurations of a type, and print the wrong counts and totals."""
    found = Counter[Verdict]()
    for one in check_type(name, number, seed):
        found[one.verdict] += 1
        if one.verdict in (Verdict.OTHER, Verdict.REFUSED):
            print(f"{name}: {one}")
    print(f"{name}: {', '.join(f'{found[one]} {one.text(LIBRARY)}' for one in JUDGED)}", flush=True)
    return 1 if found[Verdict.OTHER] else 0


def _derive(name: str) -> int:
    try:
        data = build_mlx_lm_entry(name)
    except DerivationError as error:
        print(f"{name}: {error}", flush=True)
        return 1
    write_entry(name, data)
    (one,) = data["classes"].values()
    print(f"{name}: {1 + len(one.get('also', ()))} variants", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
