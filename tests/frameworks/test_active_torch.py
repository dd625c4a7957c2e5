"""Active parameters of live mixture-of-experts models, compared with a count of their modules."""

import pytest

from paramproof.derivation.pipeline import derive
from paramproof.formulas.active import active
from paramproof.formulas.expression import letter
from paramproof.tracing.constructors.function import function_constructor
from tests.frameworks.modules import nn, torch

pytestmark = pytest.mark.framework("torch")


def nested_experts(hidden_size=12, experts=5, top_k=2, layers=4, dense=1, width=7):
    """Return blocks: the first are dense, the others have a router, a shared expert and a list."""

    def network(bias=True):
        parts = (nn.Linear(hidden_size, width, bias=bias), nn.Linear(width, hidden_size))
        return nn.ModuleList(parts)

    def block(index):
        if index < dense:
            return nn.ModuleDict({"mlp": network()})
        parts = {"router": nn.Linear(hidden_size, experts), "shared_experts": network(bias=False)}
        parts["experts"] = nn.ModuleList(network() for _ in range(experts))
        return nn.ModuleDict(parts)

    return nn.ModuleDict({"layers": nn.ModuleList(map(block, range(layers)))})


def packed_experts(hidden_size=12, experts=5, top_k=2, layers=4, width=7):
    """Return layers with fused experts, with biases; the second has all rows in one axis."""

    class Experts(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate_up = nn.Parameter(torch.empty(experts, 2 * width, hidden_size))
            self.gate_up_bias = nn.Parameter(torch.empty(experts, 2 * width))
            self.down = nn.Parameter(torch.empty(experts * width, hidden_size))

    def block():
        parts = {"gate": nn.Linear(hidden_size, experts), "experts": Experts()}
        return nn.ModuleDict(parts)

    return nn.ModuleDict({"layers": nn.ModuleList(block() for _ in range(layers))})


def active_parameters(model, experts, top_k):
    """Return the parameters of a live model, with those of experts counted k / E times."""
    sizes = {name: one.numel() for name, one in model.named_parameters()}
    routed = sum(number for name, number in sizes.items() if ".experts." in name)
    assert routed % experts == 0
    return sum(sizes.values()) - routed + routed // experts * top_k


@pytest.mark.parametrize("made", [nested_experts, packed_experts])
def test_live_experts(made):
    found = derive(function_constructor("it", made, {}))
    named = active(found)
    sizes = {"hidden_size": 20, "experts": 6, "top_k": 3, "layers": 5, "width": 11}
    sizes |= {"dense": 2} if made is nested_experts else {}
    letters = {field: name for name, field in found.fields.items()}
    at = {letters[field]: size for field, size in sizes.items()}
    assert named.total().evaluate(at) == active_parameters(made(**sizes), 6, 3)
    routers = [one for one in named if "router" in one.path or ".gate." in one.path]
    assert len(routers) == 2
    assert all(letter(letters["experts"]) in one.shape for one in routers)
