"""Write the plans by which transformers divides its models: ``python -m sweep.plans``.

Run it in the checkout, with PyTorch, transformers, and scipy for some classes, installed. It writes
``paramproof/following/plans.json``: for each configuration class and model class, the rules that
they add to those of the models inside. A child is given by where its configuration stands, such as
"text_config", or "" for the model's own, and by its class if that is not the configuration's base
model. So the plan of a model follows the model types of its parts. Some classes cannot be fully
sharded, such as one with tied weights that cannot name its input embeddings; these are listed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from itertools import chain
from random import Random
from typing import Any

import torch.distributed as dist
import transformers
from torch.testing._internal.distributed.fake_pg import FakeStore
from transformers import CONFIG_MAPPING, PreTrainedModel
from transformers.distributed.configuration_utils import DistributedConfig

from paramproof.catalogue.names import classes_of, has_type, model_types, programs
from paramproof.following.ranks import FILE
from paramproof.formulas.path import joined
from sweep.library.model import attempt, model_of
from sweep.samples.adversary import LAYER_KEYS, draw_config, saved_defaults

STAGES = ("embed_tokens", "layers", "norm")
"""The children of a base model that are divided into stages."""

TRIES = 20
"""The configurations that are drawn for a class whose defaults build no model."""


def main() -> None:
    transformers.logging.set_verbosity(transformers.logging.CRITICAL)
    found, whole = dict[str, dict[str, str]](), dict[str, list[str]]()
    for model_type in filter(has_type, model_types()):
        for name in classes_of(model_type):
            if (model := model_for(model_type, name)) is None:
                print(f"{name}: no configuration that was tried builds it", file=sys.stderr)
            for one in model.modules() if model else ():
                if isinstance(one, PreTrainedModel):
                    of_config = found.setdefault(type(one.config).__name__, {})
                    of_config[type(one).__name__] = json.dumps(record(one))
            if model and attempt(shard, model) is None:
                whole.setdefault(type(model.config).__name__, []).append(name)
    texts = [*dict.fromkeys(one for _, of in sorted(found.items()) for one in of.values())]
    classes = {
        config: {name: texts.index(one) for name, one in of.items()}
        for config, of in sorted(found.items())
    }
    data = {"transformers": transformers.__version__, "classes": classes}
    data["records"] = [*map(json.loads, texts)]
    data["not_sharded"] = dict(sorted(whole.items()))
    FILE.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


def model_for(model_type: str, name: str) -> PreTrainedModel | None:
    """Return a model of a class with two layers, or another one if that cannot be built."""
    drawn = (draw_config(model_type, Random(seed)) for seed in range(TRIES))
    every = chain([with_two_layers(saved_defaults(CONFIG_MAPPING[model_type])), {}], drawn)
    return next(filter(None, (attempt(model_of, model_type, name, keys) for keys in every)), None)


def with_two_layers(saved: Mapping[str, Any]) -> dict[str, Any]:
    """Return keys for two layers, in the parts of a configuration too: plans are the same."""
    keys: dict[str, Any] = {key: 2 for key in LAYER_KEYS if type(saved.get(key)) is int}
    for name, part in saved.items():
        if isinstance(part, dict) and "model_type" in part:
            keys[name] = {"model_type": part["model_type"], **with_two_layers(part)}
    return keys


def shard(model: PreTrainedModel) -> PreTrainedModel:
    """Return what fsdp leaves of a model on one of two ranks. Any error is a refusal."""
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    try:
        how = model.prepare_distribute_model(DistributedConfig(fsdp_size=2))
        return model.maybe_distribute_model(model, *how[::2])
    finally:
        dist.destroy_process_group()


def record(model: PreTrainedModel) -> dict[str, Any]:
    """Return the rules that a model adds to those of its children, and what these are."""
    data: dict[str, Any] = {}
    inner = model.named_children()
    children = {name: one for name, one in inner if isinstance(one, PreTrainedModel)}
    for kind in ("tp", "ep"):
        plan = getattr(model, f"_{kind}_plan")
        inside = {
            joined(name, rule)
            for name, child in children.items()
            for rule in getattr(child, f"_{kind}_plan") or ()
        }
        if own := {rule: style for rule, style in plan.items() if rule not in inside}:
            data[kind] = own
    if all(name in model._pp_plan and hasattr(model, name) for name in STAGES):
        data["stages"] = True
    places = {name: place_of(model, child) for name, child in children.items()}
    if known := {name: place for name, place in places.items() if place is not None}:
        data["children"] = known
        if (prefix := model.base_model_prefix) in known:
            data["base"] = prefix
    return data


def place_of(model: PreTrainedModel, child: Any) -> str | list[str] | None:
    """Return where a child's configuration stands, and its class unless it is the base model."""
    config, parts = type(child.config).__name__, [*parts_of(model.config)]
    # Some models copy the configuration of a part; that of a backbone may stand nowhere.
    own = [path for path, part in parts if part is child.config]
    own += [path for path, part in parts if type(part) is type(child.config)]
    if not own and (child._tp_plan or child._ep_plan):
        raise ValueError(f"{type(model).__name__}: the configuration of {config} is not found")
    is_known = config in programs().index["configurations"]
    usual = programs().program(config).models.get("AutoModel") if is_known else ""
    name = type(child).__name__
    return (own[0] if usual == name else [own[0], name]) if own else None


def parts_of(config: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield a configuration and those inside, with their paths."""
    yield path, config
    for name, part in vars(config).items():
        if isinstance(part, transformers.PreTrainedConfig):
            yield from parts_of(part, joined(path, name))


if __name__ == "__main__":
    main()
