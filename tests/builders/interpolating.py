"""A program: one framework's interpolation in a fresh process, and the memory that it takes.

``python interpolating.py FRAMEWORK`` prints JSON. With a number of bytes after it, a builder
that leaks: it keeps as many at every build.
"""

import json
import sys

from paramproof.algebra.symbols import folded
from paramproof.builders.registry import framework
from paramproof.formulas import FAMILIES
from paramproof.formulas.notation import text
from paramproof.proof.interpolation import interpolate
from paramproof.running.memory import peak_memory
from paramproof.running.worker import load_builder


class Weighed:
    """The framework's builder; ``peaks`` are those of the process's memory, after each build."""

    def __init__(self, builder, leak):
        self.supports = builder.supports
        self.builder = builder
        self.leak = leak
        self.kept = []
        self.peaks = []

    def build(self, spec):
        model = self.builder.build(spec)
        self.kept.append(b"x" * self.leak)
        self.peaks.append(peak_memory())
        return model


def main():
    chosen = framework(sys.argv[1])
    builder = Weighed(load_builder(chosen), leak=int(*sys.argv[2:]))
    found = interpolate(builder, chosen.fixed, FAMILIES["encoder"])
    written = {
        "recovered": text(folded(found.recovered)),
        "residual": text(folded(found.residual)),
        "alarms": found.alarms,
        "peaks": builder.peaks,
    }
    print(json.dumps(written))


if __name__ == "__main__":
    main()
