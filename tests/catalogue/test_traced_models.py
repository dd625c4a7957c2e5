"""A traced constructor gives the tensors that torch makes, for each way to write a constructor."""

from contextlib import suppress

import pytest
import torch

from paramproof.tracing.configuration.models import trace_model
from paramproof.tracing.configuration.terms import Unknown
from tests.catalogue.built import observed
from tests.catalogue.test_programs import catalogue_of, module_of

TOY = """
import numpy as np
from huggingface_hub.dataclasses import strict
from torch import nn
import torch
from transformers.activations import ACT2FN
from transformers.configuration_utils import PreTrainedConfig
from transformers.modeling_utils import PreTrainedModel

@strict
class ToyConfig(PreTrainedConfig):
    model_type = "toy"
    width: int = 4
    depth: int = 3
    sizes: list[int] | None = None
    kernel: int | list[int] = 3
    kinds: list[str] | None = None
    rate: float | int = 0.1
    hidden_act: str = "gelu"
    tie_word_embeddings: bool = False

class Holder:
    def __init__(self, config):
        self.config, self.size = config, config.width

    @property
    def number(self):
        return self.size if self.config.kinds is None else len(self.config.kinds)

class Layer(nn.Module):
    def __init__(self, config, number):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(config.width, number + 1))

class ToyModel(PreTrainedModel):
    config_class = ToyConfig
    _tied_weights_keys = {"head.weight": "embed.weight"}

    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(10, config.width)
        self.head = nn.Linear(config.width, 10, bias=False)
%s
        self.post_init()
"""

CONSTRUCTORS = {
    "a method that transformers binds to a class of its own": """
from transformers import GenerationConfig
self.settings = GenerationConfig.from_model_config(config)
self.x = nn.Linear(config.width, 2)""",
    "a generator of random numbers": """
self.random = torch.Generator().manual_seed(0)""",
    "a comprehension": """
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])""",
    "a list that is appended to": """
layers = [Layer(config, 7)]
for i in range(config.depth):
    layers.append(Layer(config, i))
    if i % 2:
        layers += [nn.ReLU(), Layer(config, 2 * i)]
self.layers = nn.Sequential(*layers)""",
    "a size that goes from turn to turn": """
self.layers = nn.ModuleList()
size = config.width
total = 1
for one in config.sizes:
    self.layers.append(nn.Linear(size, one))
    size, total = one, total * 2
self.last = nn.Linear(size, total)""",
    "a name of two loops": """
self.first, self.second = nn.ModuleList(), nn.ModuleList()
for i in range(config.depth):
    layer = Layer(config, i)
    self.first.append(layer)
for i, size in enumerate(config.sizes):
    layer = Layer(config, size + i)
    self.second.append(layer)""",
    "a field that layers change": """
self.layers = nn.ModuleList()
for i in range(config.depth):
    config.update({"width": 7})
    self.layers.append(Layer(config, i))
self.last = nn.Linear(config.width, 1)""",
    "a range with steps": """
self.layers = nn.ModuleList(
    [Layer(config, i) for i in range(1, config.width * 2, config.depth + 1)])""",
    "axes of one item": """
self.row = nn.Parameter(torch.ones(config.depth + 1, 1) * torch.ones(1, config.width))
self.norm = nn.utils.parametrizations.weight_norm(nn.Conv1d(1, config.depth + 1, 1), dim=2)""",
    "axes that may have one item": """
self.sum = nn.Parameter(torch.ones(max(config.depth - 4, 1)) + torch.ones(config.width))""",
    "every second number below a quotient": """
size = config.width // len(config.sizes)
self.steps = nn.Parameter(torch.arange(0, size, 2).float())""",
    "an item at a computed index": """
kinds = ["a"] * (config.depth + 2)
kinds[config.width % (config.depth + 1)] = "b"
self.layers = nn.ModuleList()
for i, kind in enumerate(kinds):
    if kind == "b":
        self.layers.append(Layer(config, i))""",
    "sizes in a dictionary": """
channels = {f"stage{i}": 2 * size for i, size in enumerate(config.sizes)}
self.layers = nn.ModuleList([nn.Linear(size, 1) for size in channels.values()])""",
    "nested comprehensions": """
sizes = [n + i for i, n in enumerate(config.sizes) for _ in range(n)]
self.layers = nn.ModuleList([nn.Linear(size, 1) for size in sizes])
self.kinds = nn.Linear(len({one for one in config.kinds if one != "c"}) + 1, 1)""",
    "an object that holds the configuration": """
holder = Holder(config)
self.layers = nn.ModuleList([Layer(holder.config, i) for i in range(holder.number)])""",
    "an expanded parameter": """
self.x = nn.Parameter(torch.ones(1, config.width).expand(config.depth, -1).clone())""",
    "a list that ends early": """
self.layers = nn.ModuleList()
for i, one in enumerate(config.sizes):
    self.layers.append(nn.Linear(one, 1))
    if one == 2:
        break""",
    "computed rates": """
rates = [x.item() for x in torch.linspace(0, config.rate, config.depth, device="cpu")]
self.layers = nn.ModuleList()
for i in range(config.depth):
    first = nn.Dropout(rates[i]) if rates[i] > 0 else nn.Identity()
    self.layers.append(nn.Sequential(first, Layer(config, i)))""",
    "convolutions": """
self.conv = nn.Conv2d(3, config.width, config.kernel, padding="same")
self.norm = nn.utils.parametrizations.weight_norm(nn.Conv1d(2, config.width, 5))""",
    "names that are computed": """
for i in range(config.depth):
    setattr(self, f"layer_{i}", Layer(config, i))
self.by_kind = nn.ModuleDict({kind: nn.Linear(2, 2) for kind in sorted(set(config.kinds))})""",
    "frozen parameters": """
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])
for name, parameter in self.named_parameters():
    if "layers.1" not in name:
        parameter.requires_grad_(False)""",
    "a change of each layer": """
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])
for number, layer in enumerate(self.layers):
    layer.register_buffer("mask", torch.ones(number, 2), persistent=False)
    if number == 2:
        layer.extra = nn.Linear(1, 1)""",
    "a change of one layer": """
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])
if config.depth:
    self.layers[0].extra = nn.Linear(1, 1)
    self.layers[-1].weight.requires_grad = False""",
    "a parameter that all layers but the first lose": """
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])
for i in range(config.depth - 1):
    self.layers[i + 1].weight = None""",
    "named layers, of which the first differs": """
layers = {}
for i in range(config.depth):
    if i == 0:
        layers[f"layer_{i}"] = Layer(config, 7)
    else:
        layers[f"layer_{i}"] = Layer(config, i)
layers["last"] = nn.ReLU()
self.layers = nn.ModuleDict(layers)""",
    "copies of a layer": """
import copy
layer = Layer(config, 0)
self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(config.depth)])""",
    "an object that holds a size": """
from transformers.time_series_utils import StudentTOutput
self.by_name = {"student": StudentTOutput, "gelu": StudentTOutput, "prelu": StudentTOutput}
self.out = self.by_name[config.hidden_act](dim=config.width).get_parameter_projection(3)""",
    "buffers of computed sizes": """
column = torch.arange(config.width).expand(1, -1).unsqueeze(-1)
self.mask = nn.Buffer(column + torch.zeros(config.depth))
self.register_buffer("names", None)""",
    "buffers of halves": """
half = torch.arange(config.width // 2)
self.halves = nn.Buffer(torch.cat([half.sin(), half.cos()])[None])
self.even = nn.Buffer(torch.arange(0, config.width, 2).clamp(max=3).expand(5, -1))""",
    "an activation": "self.act = ACT2FN[config.hidden_act]",
    "numbers of numpy": "self.x = nn.Linear(int(np.prod(config.sizes)), 1)",
}
KEYS = [
    {"sizes": [2, 3, 4], "kinds": ["b", "a", "b"]},
    {"sizes": [5, 2, 4], "kinds": [], "kernel": [2, 5], "depth": 1, "hidden_act": "prelu"},
    {"sizes": [3, 1], "kinds": [], "depth": 0},
    {"sizes": [1], "kinds": ["c"], "depth": 5, "rate": 0, "tie_word_embeddings": True},
]


def written(statements):
    return TOY % "\n".join(" " * 8 + line for line in statements.strip().splitlines())


@pytest.mark.parametrize("statements", CONSTRUCTORS.values(), ids=CONSTRUCTORS)
def test_constructor(statements, tmp_path):
    toy = module_of(written(statements), tmp_path)
    catalogue = catalogue_of(tmp_path, toy.ToyConfig, toy.ToyModel)
    for keys in KEYS:
        with torch.device("meta"):
            model = toy.ToyModel(toy.ToyConfig(**keys))
        part = catalogue.configuration({"model_type": "toy", **keys})
        tensors = [*part.tensors("ToyModel")]
        expected, _ = observed(model)
        assert {one.path: (one.shape, one.role) for one in tensors} == expected, keys
        tied = model.head.weight is model.embed.weight
        storages = {one.path: one.storage for one in tensors}
        assert (storages["head.weight"] == storages["embed.weight"]) == tied


REFUSED = {
    "a computed size": """
size = torch.linspace(0, config.rate, 3).sum().item()
self.x = nn.Linear(int(size), 1)""",
    "a computed condition": """
if torch.ones(config.width).mean().item() > 0:
    self.x = nn.Linear(1, 1)""",
    "an unknown function of torch": """
self.x = nn.Parameter(torch.fft.rfft(torch.ones(config.width)))""",
    "a change of some layers": """
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])
for number in [i for i in range(config.width) if i > 100] + [0]:
    self.layers[number].extra = nn.Linear(1, 1)""",
    "copies of layers inside of a loop": """
import copy
self.layers = nn.ModuleList([Layer(config, i) for i in range(config.depth)])
self.more = nn.ModuleList([copy.deepcopy(self.layers) for _ in range(config.width)])""",
    "a method that nobody modelled": "self.x = self.embed.get_buffer('weight')",
}


@pytest.mark.parametrize("statements", REFUSED.values(), ids=REFUSED)
def test_unknown_constructor(statements, tmp_path):
    toy = module_of(written(statements), tmp_path)
    with suppress(Unknown):
        assert None in trace_model(toy.ToyModel).refusals.values()
