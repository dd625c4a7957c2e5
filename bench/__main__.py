"""Measure what counting costs: ``python -m bench [--framework NAME ...]``, in the checkout.

Every case is a way to count a framework's encoder, from its sizes to the number: ours, without
weights and with them, and the ways that people use. Each runs in processes of its own, one after
another and in rounds: frameworks need different environment variables, memory has a peak per
process, only the first call of a process is cold, and a machine that slows down does so for all.
measured.json gets the figures, of which ``python -m docs.writers bench`` makes the tables of the
README; ``--framework`` keeps those of the others.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import importlib
import io
import json
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import fields
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from docs.writers.blocks import in_process
from paramproof.builders.registry import framework, frameworks
from paramproof.formulas import EncoderSpec
from paramproof.formulas.models import named_model
from paramproof.verify.agreement import check
from paramproof.verify.workers import load_builder, peak_memory

RESULTS = Path(__file__).with_name("measured.json")

ROUNDS = 2
"""Processes of each case."""

SECONDS, FEWEST, MOST = 1.0, 2, 10
"""How long later counts go on, and how many there are at least and at most."""

BASE, LARGE = "bert-base-uncased", "encoder-175b"

ABSTRACT, PLAIN = "build, read, compare (abstract)", "build for real, count"

Count: TypeAlias = Callable[[Any, EncoderSpec], int]
"""Build a framework's model with its builder, from a spec, and return the number of parameters."""


class Case(NamedTuple):
    """One way to count one framework's encoder, with the modules that it needs besides.

    It ``allocates`` if it creates real weights.
    """

    framework: str
    way: str
    run: Count
    allocates: bool
    imports: tuple[str, ...] = ()


def abstract(builder: Any, spec: EncoderSpec) -> int:
    """Check shapes only, as ``verify`` does."""
    return check(builder, spec).actual


def plain(builder: Any, spec: EncoderSpec) -> int:
    """Build with weights and add up their sizes, without a formula."""
    model = builder.build(spec, allocate=True)
    _wait()
    return sum(weight.size for weight in model.weights())


def torchinfo_summary(builder: Any, spec: EncoderSpec, *, allocate: bool = True) -> int:
    import torchinfo

    module = builder.build(spec, allocate=allocate).module
    return int(torchinfo.summary(module, verbose=0).total_params)


def num_parameters(builder: Any, spec: EncoderSpec, *, device: str = "cpu") -> int:
    import torch
    from transformers import BertConfig, BertModel

    sizes = {one.name: getattr(spec, one.name) for one in fields(spec) if one.type == "int"}
    with torch.device(device):
        return int(BertModel(BertConfig(**sizes)).num_parameters())


def keras_count_params(builder: Any, spec: EncoderSpec) -> int:
    model = builder.build(spec, allocate=True).model
    _wait()
    return int(model.count_params())


def keras_bert_count_params(builder: Any, spec: EncoderSpec) -> int:
    """As keras-bert's own README does it: eager, without heads, so also without a pooler."""
    from keras_bert import get_model
    from tensorflow import keras

    inputs, output = get_model(
        token_num=spec.vocab_size,
        pos_num=spec.max_position_embeddings,
        embed_dim=spec.hidden_size,
        transformer_num=spec.num_hidden_layers,
        head_num=spec.num_attention_heads,
        feed_forward_dim=spec.intermediate_size,
        seq_len=None,
        training=False,
        trainable=True,
    )
    return int(keras.Model(inputs, output).count_params())


def linen_tabulate(builder: Any, spec: EncoderSpec) -> int:
    import jax
    import jax.numpy as jnp

    from paramproof.builders.jax_shell import Values

    kind, ids = builder.MODULES[EncoderSpec], jnp.zeros((1, 1), jnp.int32)
    values = Values(jnp.dtype("float32"), drawn=True)
    module = kind(kind.parts(spec, spec.original_numerics, values=values))
    table = module.tabulate(jax.random.key(0), ids, ids, ids == 0)
    return int(re.findall(r"Total Parameters: ([\d,]+)", table)[-1].replace(",", ""))


def paddle_summary(builder: Any, spec: EncoderSpec) -> int:
    import paddle

    module = builder.build(spec, allocate=True).module
    with contextlib.redirect_stdout(io.StringIO()):
        found = paddle.summary(module, [(1, 1)] * 3, ["int64", "int64", "bool"])
    return int(found["total_params"])


def _wait() -> None:
    """Wait for arrays that JAX returned before it computed them."""
    if jax := sys.modules.get("jax"):
        jax.block_until_ready(jax.live_arrays())


INFO, BERT = ("torchinfo",), ("transformers.models.bert.modeling_bert",)
ON_META = partial(torchinfo_summary, allocate=False), partial(num_parameters, device="meta")
KERAS = [("count_params", keras_count_params, True)]

USED: dict[str, list[tuple[Any, ...]]] = {
    "torch": [
        ("torchinfo.summary", torchinfo_summary, True, INFO),
        ("torchinfo.summary, on meta", ON_META[0], False, INFO),
    ],
    "transformers": [
        ("num_parameters", num_parameters, True, BERT),
        ("num_parameters, on meta", ON_META[1], False, BERT),
    ],
    **dict.fromkeys(("keras-jax", "keras-tensorflow", "keras-torch"), KERAS),
    "keras-bert": [("get_model, count_params", keras_bert_count_params, True, ("keras_bert",))],
    # nnx.tabulate fails on a model with an output that is None.
    "flax-linen": [("tabulate", linen_tabulate, False)],
    "paddle": [("paddle.summary", paddle_summary, True)],
}
"""What people use, by framework."""


def cases() -> list[Case]:
    """Return every case: for each framework abstract and plain, then the ways that people use."""
    own: list[tuple[Any, ...]] = [(ABSTRACT, abstract, False), (PLAIN, plain, True)]
    return [Case(name, *way) for name in frameworks() for way in [*own, *USED.get(name, [])]]


def measured(case: Case, name: str) -> dict[str, Any]:
    """Return seconds to import, of the first call and of later ones, the count, and peaks in MB.

    ``first_mb`` is the peak once the first call is over, ``peak_mb`` that of the process.
    """
    start = time.perf_counter()
    builder, spec = load_builder(framework(case.framework)), named_model(name).spec
    assert isinstance(spec, EncoderSpec)
    for module in case.imports:
        importlib.import_module(module)
    imported = time.perf_counter() - start
    cold, count = _timed(case.run, builder, spec)
    first = peak_memory()
    warm: list[float] = []
    while len(warm) < FEWEST or (sum(warm) < SECONDS and len(warm) < MOST):
        warm.append(_timed(case.run, builder, spec)[0])
    peaks = {"first_mb": round(first / 1e6, 1), "peak_mb": round(peak_memory() / 1e6, 1)}
    return {"import": round(imported, 3), "cold": cold, "warm": warm, "count": count, **peaks}


def _timed(count: Count, builder: Any, spec: EncoderSpec) -> tuple[float, int]:
    """Return the seconds of one call, and what it counted; earlier rubbish is not its own."""
    gc.collect()
    start = time.perf_counter()
    number = count(builder, spec)
    return round(time.perf_counter() - start, 6), number


def jobs(chosen: list[str]) -> Iterator[tuple[int, Case, str]]:
    """Yield every process of a run: a case with its number, and the model that it counts."""
    own = [(number, one) for number, one in enumerate(cases()) if one.framework in chosen]
    for _ in range(ROUNDS):
        yield from ((number, one, BASE) for number, one in own)
    yield from ((number, one, LARGE) for number, one in own if not one.allocates)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure counting.")
    parser.add_argument("--framework", action="append", choices=[*frameworks()])
    parser.add_argument("--measure", nargs=2, metavar=("CASE", "MODEL"), help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.measure:
        number, model = options.measure
        print(json.dumps(measured(cases()[int(number)], model)))
        return
    chosen = options.framework or [*frameworks()]
    data = json.loads(RESULTS.read_text("utf-8"))
    data["machine"] = {
        "system": f"{platform.system()}, {platform.machine()}",
        "processors": os.cpu_count(),
        "versions": {"torchinfo": version("torchinfo"), "python": platform.python_version()},
    }
    of: dict[str, dict[str, Any]]
    of = {name: {"versions": framework(name).versions(), "models": {}} for name in chosen}
    for number, case, model in jobs(chosen):
        print(f"{case.framework}: {case.way}, {model}", file=sys.stderr, flush=True)
        found = in_process("bench", framework(case.framework), "--measure", str(number), model)
        ways = of[case.framework]["models"].setdefault(model, {})
        ways.setdefault(case.way, []).append(found)
    data["frameworks"] |= of
    RESULTS.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
