"""Compare the catalogue with other libraries: ``python -m sweep.witnesses LIBRARY [NAME ...]``.

Run it in the checkout, with ``mlx-lm`` and MLX, or with ``keras-hub``, installed; transformers is
not needed. NAME is a model type, or a backbone of KerasHub. It prints a line for each, and each
difference that no cause explains; then the status is 1. ``--record`` writes what all of them gave
to measured.json, of which ``python -m docs.writers libraries`` makes the page.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from paramproof.catalogue.names import release
from sweep.witnesses import keras_hub, mlx_configs, mlx_lm
from sweep.witnesses.comparison import Comparison

RESULTS = Path(__file__).with_name("measured.json")

EXAMPLES = {"mlx-lm": 24, "keras-hub": 5}
"""The libraries, with the random models of each type that ``--record`` compares."""

Data = dict[str, Any]


def tally(comparisons: Iterable[Comparison | None]) -> tuple[Data, list[Comparison]]:
    """Return the number of models and each cause's formulas, and what no cause explains.

    None is a configuration that the library refuses.
    """
    every, causes = [*comparisons], defaultdict[str, Counter[str]](Counter)
    built = [one for one in every if one]
    explained = [one for one in built if not one.unexplained]
    for one in explained:
        for name, formula in one.causes.items():
            causes[name][formula] += 1
    data = {
        "built": len(built),
        "refused": len(every) - len(built),
        "equal": sum(not one.causes for one in explained),
        "causes": {name: dict(causes[name]) for name in sorted(causes)},
    }
    return data, [one for one in built if one.unexplained]


def known() -> dict[str, Data]:
    return dict(json.loads(RESULTS.read_text("utf-8")))


def mistake(config: Mapping[str, Any]) -> Data:
    """Return a configuration that shows a mistake of mlx-lm, with its comparison."""
    found = mlx_configs.compare_config(config)
    return {"config": config, "ours": found.ours, "theirs": found.theirs, "causes": found.causes}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m sweep.witnesses")
    parser.add_argument("library", choices=EXAMPLES)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--examples", type=int, metavar="N", help="random models of each")
    parser.add_argument("--seed", type=int, default=0, help="seed for random models")
    parser.add_argument("--record", action="store_true", help="write measured.json")
    options = parser.parse_args(arguments)
    witness = mlx_configs if options.library == "mlx-lm" else keras_hub
    every = witness.types_of_both()
    if unknown := sorted(set(options.names) - set(every)):
        print(f"not a model of both libraries: {', '.join(unknown)}", file=sys.stderr)
        return 2
    number = options.examples or EXAMPLES[options.library]
    results, number_wrong = {}, 0
    for name in options.names or every:
        found, unexplained = tally(witness.compare_random(name, number, options.seed))
        results[name], number_wrong = found, number_wrong + len(unexplained)
        explained = found["built"] - found["equal"] - len(unexplained)
        counts = f"{found['built']} built, {found['equal']} equal, {explained} explained"
        wrong = (f"unexplained: {dict(one.unexplained)}" for one in unexplained)
        print(f"{name}: {counts}", *wrong, sep="\n  ", flush=True)
    print(f"{number_wrong} differences are not explained")
    if options.record and not number_wrong:
        record(options.library, number, results)
    return 1 if number_wrong else 0


def record(library: str, number: int, types: Mapping[str, Data]) -> None:
    data = known()
    found: Data = {"examples": number, "types": dict(types)}
    if library == "mlx-lm":
        found |= {"versions": mlx_lm.versions(), "files": [*mlx_configs.compare_public()]}
        shown = data[library]["mistakes"]
        found["mistakes"] = {name: mistake(one["config"]) for name, one in shown.items()}
    else:
        found |= {"versions": keras_hub.versions(), "presets": keras_hub.all_published()}
    found["versions"] |= {"transformers": release()}
    data[library] = found
    RESULTS.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
