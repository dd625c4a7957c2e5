"""Derive entries from mlx-lm's models: ``python -m sweep.mlx_lm [TYPE ...]``.

Run it in the checkout, with MLX and mlx-lm installed. The types are those of ``models.toml``. With
``--check 200`` it derives nothing, and compares 200 random configurations of each type, drawn by
``--seed``, with the models that mlx-lm builds. Its status is 1 if a count differs.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from paramproof.derivation.pipeline import DerivationError
from sweep.mlx_lm.check import LIBRARY, check_type
from sweep.mlx_lm.entry import build_mlx_lm_entry, published_models
from sweep.samples.verdict import JUDGED, Verdict
from sweep.store import write_entry


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
