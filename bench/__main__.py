"""Measure what counting costs: ``python -m bench [--framework NAME ...]``, in the checkout.

Every case is a way to count a framework's encoder, from its sizes to the number: ours, without
weights and with them, and the ways that people use. Each runs in processes of its own, one after
another and in rounds: frameworks need different environment variables, memory has a peak per
process, only the first call of a process is cold, and a machine that slows down does so for all.
docs/benchmarks.json gets the figures, of which ``python -m docs.writers benchmarks`` makes the
page; ``--framework`` keeps those of the others.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from paramproof.builders.registry import framework, frameworks
from paramproof.formulas import EncoderSpec
from paramproof.formulas.models import named_model
from paramproof.verify.agreement import check
from paramproof.verify.worker import load_builder, peak_memory

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "benchmarks.json"

ROUNDS = 2
"""Processes of each case."""

WARM = (1.0, 2, 10)
"""Calls after the first: until so many seconds are spent, but so many at least and at most."""

PASSES = (3.0, 2, 5)
"""Passes over the sizes of a curve, in the same way."""

BASE, LARGE = "bert-base-uncased", "encoder-175b"

SWEEPS = {
    "num_hidden_layers": (1, 2, 4, 8, 16, 32, 64, 96),
    "hidden_size": (64, 256, 768, 2048, 12288),
    "vocab_size": (100, 1_000, 10_000, 100_000, 1_000_000),
}
"""The sizes of BERT-base, of which one varies; with H, as in real models, A = H/64 and F = 4H."""

ABSTRACT, PLAIN = "build, read, compare (abstract)", "build for real, count"

Count: TypeAlias = Callable[[], int]
Prepare: TypeAlias = Callable[[Any, EncoderSpec], Count]


class Case(NamedTuple):
    """One way to count one framework's encoder; ``allocates`` if it creates real weights.

    ``prepare`` imports what the way needs, and returns a function that builds the model and counts.
    """

    framework: str
    way: str
    prepare: Prepare
    allocates: bool


def abstract(builder: Any, spec: EncoderSpec) -> Count:
    """Check shapes only, as ``verify`` does."""
    return lambda: check(builder, spec).actual


def plain(builder: Any, spec: EncoderSpec) -> Count:
    """Build with weights and add up their sizes, without a formula."""

    def count() -> int:
        model = builder.build(spec, allocate=True)
        _wait()
        return sum(weight.size for weight in model.weights())

    return count


def torchinfo_summary(builder: Any, spec: EncoderSpec, *, allocate: bool = True) -> Count:
    import torchinfo

    def count() -> int:
        module = builder.build(spec, allocate=allocate).module
        return int(torchinfo.summary(module, verbose=0).total_params)

    return count


def num_parameters(builder: Any, spec: EncoderSpec, *, device: str = "cpu") -> Count:
    import torch
    from transformers import BertConfig, BertModel

    sizes = {one.name: getattr(spec, one.name) for one in fields(spec) if one.type == "int"}

    def count() -> int:
        with torch.device(device):
            return int(BertModel(BertConfig(**sizes)).num_parameters())

    return count


def keras_count_params(builder: Any, spec: EncoderSpec) -> Count:
    def count() -> int:
        model = builder.build(spec, allocate=True).model
        _wait()
        return int(model.count_params())

    return count


def keras_bert_count_params(builder: Any, spec: EncoderSpec) -> Count:
    """As keras-bert's own README does it: eager, without heads, so also without a pooler."""
    from keras_bert import get_model
    from tensorflow import keras

    sizes = {
        "token_num": spec.vocab_size,
        "pos_num": spec.max_position_embeddings,
        "embed_dim": spec.hidden_size,
        "transformer_num": spec.num_hidden_layers,
        "head_num": spec.num_attention_heads,
        "feed_forward_dim": spec.intermediate_size,
    }

    def count() -> int:
        inputs, output = get_model(**sizes, seq_len=None, training=False, trainable=True)
        return int(keras.Model(inputs, output).count_params())

    return count


def flax_tabulate(builder: Any, spec: EncoderSpec) -> Count:
    import jax
    import jax.numpy as jnp
    from flax import nnx

    from paramproof.formulas.spec import Numerics

    ids = jnp.zeros((1, 1), jnp.int32)
    arguments = (spec, Numerics(), jnp.float32)

    def count() -> int:
        if issubclass(builder.Encoder, nnx.Module):
            table = nnx.tabulate(builder.Encoder(*arguments, nnx.Rngs(0)), ids, ids, ids == 0)
        else:
            table = builder.Encoder(*arguments).tabulate(jax.random.key(0), ids, ids, ids == 0)
        return int(re.findall(r"Total Parameters: ([\d,]+)", table)[-1].replace(",", ""))

    return count


def paddle_summary(builder: Any, spec: EncoderSpec) -> Count:
    import paddle

    sizes, dtypes = [(1, 1)] * 3, ["int64", "int64", "bool"]

    def count() -> int:
        module = builder.build(spec, allocate=True).module
        with contextlib.redirect_stdout(io.StringIO()):
            return int(paddle.summary(module, sizes, dtypes)["total_params"])

    return count


def _wait() -> None:
    """Wait for arrays that JAX returned before it computed them."""
    if jax := sys.modules.get("jax"):
        jax.block_until_ready(jax.live_arrays())


# What people use, by framework: the way's name, its function, whether it allocates.
USED: dict[str, list[tuple[str, Prepare, bool]]] = {
    "torch": [
        ("torchinfo.summary", torchinfo_summary, True),
        ("torchinfo.summary, on meta", lambda b, s: torchinfo_summary(b, s, allocate=False), False),
    ],
    "transformers": [
        ("num_parameters", num_parameters, True),
        ("num_parameters, on meta", lambda b, s: num_parameters(b, s, device="meta"), False),
    ],
    "keras-jax": [("count_params", keras_count_params, True)],
    "keras-tensorflow": [("count_params", keras_count_params, True)],
    "keras-torch": [("count_params", keras_count_params, True)],
    "keras-bert": [("get_model, count_params", keras_bert_count_params, True)],
    "flax-linen": [("tabulate", flax_tabulate, False)],
    "flax-nnx": [("tabulate", flax_tabulate, True)],
    "paddle": [("paddle.summary", paddle_summary, True)],
}


def cases() -> list[Case]:
    """Return every case: for each framework abstract and plain, then the ways that people use."""
    own: list[tuple[str, Prepare, bool]] = [(ABSTRACT, abstract, False), (PLAIN, plain, True)]
    return [Case(name, *way) for name in frameworks() for way in [*own, *USED.get(name, [])]]


def encoder(name: str) -> EncoderSpec:
    spec = named_model(name).spec
    assert isinstance(spec, EncoderSpec)
    return spec


def swept(axis: str, size: int) -> EncoderSpec:
    """Return the spec at one point of a curve, with two layers unless their number varies."""
    sizes: dict[str, Any] = {"num_hidden_layers": 2, axis: size}
    if axis == "hidden_size":
        sizes |= {"num_attention_heads": size // 64, "intermediate_size": 4 * size}
    return replace(encoder(BASE), **sizes)


def measure_model(case: Case, name: str) -> dict[str, Any]:
    """Return seconds to import, of the first call and of later ones, the count, and peaks in MB.

    ``first_mb`` is the peak once the first call is over, ``peak_mb`` that of the process.
    """
    start = time.perf_counter()
    call = case.prepare(load_builder(framework(case.framework)), encoder(name))
    imported = time.perf_counter() - start
    cold, count = _timed(call)
    first = peak_memory()
    warm = [_timed(call)[0]]
    while _goes_on(warm, *WARM):
        warm.append(_timed(call)[0])
    peaks = {"first_mb": round(first / 1e6, 1), "peak_mb": round(peak_memory() / 1e6, 1)}
    return {"import": round(imported, 3), "cold": cold, "warm": warm, "count": count, **peaks}


def measure_curves(case: Case) -> dict[str, list[float]]:
    """Return the seconds at each size of each curve: the best of several passes over all the sizes.

    By passes, and not size by size, so that a machine that slows down does not bend the curve.
    """
    builder, curves = load_builder(framework(case.framework)), {}
    for axis, sizes in SWEEPS.items():
        calls = [case.prepare(builder, swept(axis, size)) for size in sizes]
        calls[0]()
        passes = [[_timed(call)[0] for call in calls]]
        while _goes_on([*map(sum, passes)], *PASSES):
            passes.append([_timed(call)[0] for call in calls])
        curves[axis] = [min(seconds) for seconds in zip(*passes, strict=True)]
    return curves


def _goes_on(seconds: list[float], enough: float, fewest: int, most: int) -> bool:
    return len(seconds) < fewest or (sum(seconds) < enough and len(seconds) < most)


def _timed(call: Count) -> tuple[float, int]:
    """Return the seconds of one call, and what it counted; earlier rubbish is not its own."""
    gc.collect()
    start = time.perf_counter()
    count = call()
    return round(time.perf_counter() - start, 6), count


def measured(number: int, what: str) -> dict[str, Any]:
    case = cases()[number]
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--measure", str(number), what],
        cwd=ROOT,
        env={**os.environ, **framework(case.framework).environment},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(f"{case.framework}: {case.way}, {what}: {done.stderr}")
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def jobs(chosen: list[str]) -> Iterator[tuple[int, Case, str]]:
    """Yield every process of a run: a case, and the model or the curves that it counts."""
    own = [(number, one) for number, one in enumerate(cases()) if one.framework in chosen]
    for _ in range(ROUNDS):
        yield from ((number, one, BASE) for number, one in own)
    yield from ((number, one, LARGE) for number, one in own if not one.allocates)
    yield from ((number, one, "curves") for number, one in own if one.way == ABSTRACT)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure counting.")
    parser.add_argument("--framework", action="append", choices=[*frameworks()])
    parser.add_argument("--measure", nargs=2, metavar=("CASE", "WHAT"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        number, what = options.measure
        case = cases()[int(number)]
        found = measure_curves(case) if what == "curves" else measure_model(case, what)
        print(json.dumps(found))
        return
    chosen = options.framework or [*frameworks()]
    data = json.loads(RESULTS.read_text("utf-8"))
    models = {
        (one["framework"], one["way"], one["model"]): one["processes"]
        for one in data["models"]
        if one["framework"] not in chosen
    }
    for number, case, what in jobs(chosen):
        print(f"{case.framework}: {case.way}, {what}", file=sys.stderr, flush=True)
        found = measured(number, what)
        if what == "curves":
            data["curves"][case.framework] = found
        else:
            models.setdefault((case.framework, case.way, what), []).append(found)
    order = [*frameworks()]
    data["models"] = [
        {"framework": name, "way": way, "model": model, "processes": processes}
        for (name, way, model), processes in sorted(
            models.items(), key=lambda one: (one[0][2] != BASE, order.index(one[0][0]))
        )
    ]
    data["curves"] = {name: data["curves"][name] for name in order}
    data["machine"] = machine(chosen, data["machine"]["versions"])
    RESULTS.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def machine(chosen: list[str], known: dict[str, str | None]) -> dict[str, Any]:
    tools = {"torchinfo": version("torchinfo"), "python": platform.python_version()}
    versions = known | tools
    for name in chosen:
        versions |= framework(name).versions()
    return {
        "system": f"{platform.system()}, {platform.machine()}",
        "processors": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "versions": dict(sorted(versions.items())),
    }


if __name__ == "__main__":
    main(sys.argv[1:])
