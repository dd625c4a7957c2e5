"""A program: prove one framework in a fresh process, and measure the memory of its builds.

``python proving.py FRAMEWORK`` prints JSON. With a number of bytes after it, it proves only the
encoder, with a builder that leaks that many bytes in every build.
"""

import json
import sys

from paramproof.builders.registry import framework
from paramproof.formulas import FAMILIES
from paramproof.verify.cases import random_specs
from paramproof.verify.proof import proofs
from paramproof.verify.workers import load_builder, peak_memory

MODELS = 100
"""Random models that are built after those of the proof, to measure what builds leave behind."""


class MemoryRecorder:
    def __init__(self, builder, leak):
        self.supports = builder.supports
        self.builder = builder
        self.__name__ = builder.__name__
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
    leak = int(*sys.argv[2:])
    builder = MemoryRecorder(load_builder(chosen), leak)
    found = list(proofs(chosen, builder, ("encoder",)))
    for spec in random_specs(builder, MODELS, 0, "encoder", **chosen.fixed):
        builder.build(spec)
    peaks = list(builder.peaks)
    if not leak:
        found += proofs(chosen, builder, [name for name in FAMILIES if name != "encoder"])
    proved = {proof.family: proof.as_json() for proof in found}
    print(json.dumps({"proofs": proved, "peaks": peaks}))


if __name__ == "__main__":
    main()
