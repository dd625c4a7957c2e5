"""Write the programs of types that only mlx-lm has: ``python -m sweep.mlx_lm [TYPE ...]``.

Run it in the checkout, with MLX, mlx-lm and transformers installed. The types are those of
``models.toml``. With ``--check 200`` it writes nothing, and compares 200 random configurations of
each type, drawn by ``--seed``, with the models that mlx-lm builds, array by array. Its status is 1
if a count differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from random import Random

from paramproof.catalogue.configurations import entry
from sweep.library.keys import Keys
from sweep.library.verdict import Judgement, Verdict, print_totals
from sweep.mlx_lm.fitted import REQUIRED, VALUES, defaults_of, file_of, is_size, published_models
from sweep.programs import add_names, differences, read_files, write_files
from sweep.witnesses.comparison import Refused
from sweep.witnesses.mlx_lm import arrays

LIBRARY = "mlx-lm"

MAX_SIZE = 64
MAX_CHANGES = 3


def check_type(model_type: str, number: int, seed: int = 0) -> Iterator[Judgement]:
    random = Random(f"{model_type} {seed}")
    return (judge(draw_config(model_type, random)) for _ in range(number))


def draw_config(model_type: str, random: Random) -> Keys:
    """Draw a configuration from the keys of the model alone, some changed and some left out."""
    model = published_models()[model_type]
    config: Keys = {"model_type": model_type, "architectures": [model["class"]]}
    defaults = defaults_of(model_type)
    for name, default in defaults.items():
        value = model["keys"].get(name, default)
        if is_size(value):
            config[name] = random.choice([value, random.randint(1, MAX_SIZE)])
        elif isinstance(value, bool):
            config[name] = value is (random.random() < 0.7)
        elif name in model["keys"]:
            config[name] = value
    for name in random.sample(sorted(defaults), random.choice([0, 0, 1, MAX_CHANGES])):
        if random.random() < 0.3:
            config.pop(name, None)
        elif is_size(config.get(name)):
            config[name] = random.choice([0, 1, None, 2 * config[name], config[name] + 1])
        else:
            config[name] = random.choice(VALUES)
    return config


def judge(config: Keys) -> Judgement:
    """Compare the count of a configuration with mlx-lm's model, array by array."""
    try:
        found = entry(config)
    except ValueError as error:
        return Judgement(config, Verdict.NOT_COUNTED, error)
    # mlx-lm asks for keys on which no count depends, such as an epsilon.
    keys, defaults = published_models()[found.model_type]["keys"], defaults_of(found.model_type)
    free = {key for key in found.part.program.defaults if defaults.get(key) is REQUIRED}
    usual = {key: one for key, one in keys.items() if key in free}
    try:
        built = arrays({**usual, **config})
    except Refused as error:
        return Judgement(config, Verdict.REFUSED, error)
    expected = {one.path: one.shape for one in found.part.tensors(found.class_name)}
    # mlx-lm's empty arrays are left out.
    apart = {path for path, shape in expected.items() if 0 not in (shape or ())} ^ built.keys()
    apart |= {path for path in built if built[path] != expected.get(path)}
    return Judgement(config, Verdict.OTHER if apart else Verdict.EQUAL, ", ".join(sorted(apart)))


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m sweep.mlx_lm", description="Write the programs of mlx-lm's own types."
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
        return max(
            print_totals(check_type(name, options.check, options.seed), LIBRARY, f"{name}: ")
            for name in wanted
        )
    before = read_files()
    after = {**before, **{name: file_of(name) for name in wanted}}
    print("\n".join(differences(before, after)))
    write_files(after)
    add_names({name: [*data["models"]] for name, data in after.items()})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
