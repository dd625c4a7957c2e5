"""Compare the catalogue with mlx-lm: ``python -m sweep.second_opinion [TYPE ...] [OPTION ...]``.

Run it in the checkout, with MLX and mlx-lm installed; PyTorch and transformers are not needed. It
prints a line for each model type, and each difference that no cause explains. Its status is 1 if
there is one. ``python -m docs.writers second-opinion`` writes the results.
"""

from __future__ import annotations

import argparse
import json
import sys

from sweep.second_opinion.random_models import compare_random, types_of_both
from sweep.second_opinion.results import EXAMPLES


def main(arguments: list[str]) -> int:
    """Run the command; return the status."""
    options = _options(arguments)
    if unknown := sorted(set(options.types) - set(types_of_both())):
        print(f"not a model type of both libraries: {', '.join(unknown)}", file=sys.stderr)
        return 2
    unexplained = 0
    for name in options.types or types_of_both():
        found = compare_random(name, options.examples, options.seed)
        explained = found.built - found.equal - len(found.unexplained)
        counts = f"{found.built} built, {found.equal} equal, {explained} explained"
        print(f"{name}: {counts}", flush=True)
        unexplained += len(found.unexplained)
        for both, one in found.unexplained:
            print(f"  unexplained: {dict(one.unexplained)}; {json.dumps(both.config)}")
    print(f"{unexplained} differences are not explained")
    return 1 if unexplained else 0


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m sweep.second_opinion", description="Compare the catalogue with mlx-lm."
    )
    parser.add_argument("types", nargs="*", metavar="TYPE", help="model types (default: all)")
    parser.add_argument(
        "--examples",
        type=int,
        default=EXAMPLES,
        metavar="N",
        help=f"random configurations of each type (default: {EXAMPLES})",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed for random configurations")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
