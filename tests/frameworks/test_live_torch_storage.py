"""PyTorch parameters that share a storage without being the same parameter."""

from dataclasses import replace

import pytest

from paramproof import compare
from tests.frameworks.live_torch import encoder, with_head
from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch")

WITH_HEAD = replace(SPEC, mlm_head=True)


def rows_as_one_vector(table):
    return table.view(-1)


def transposed(table):
    return table.T


@pytest.mark.parametrize("device", ["cpu", "meta"])
@pytest.mark.parametrize("view", [lambda table: table, transposed, rows_as_one_vector])
def test_two_parameters_of_one_storage_count_once(view, device):
    import torch
    from torch import nn

    with torch.device(device):
        net = with_head()
    net["lm"][2].weight = nn.Parameter(view(net["tok"].weight.detach()))
    assert net["lm"][2].weight is not net["tok"].weight
    report = compare(net, WITH_HEAD)
    assert report.equal, report.render()
    said = "one storage, counted once: tok.weight, lm.2.weight"
    assert said in report.render().splitlines()


def test_tied_by_data():
    net = with_head()
    net["lm"][2].weight.data = net["tok"].weight.data
    assert compare(net, WITH_HEAD).equal


@pytest.mark.parametrize("device", ["cpu", "meta"])
def test_parameters_side_by_side_in_one_storage_all_count(device):
    """As in FSDP, or in a buffer that an optimiser has made contiguous."""
    import torch
    from torch import nn

    with torch.device(device):
        net = encoder()
        whole = torch.empty(sum(parameter.numel() for parameter in net.parameters()))
    start = 0
    for parameter in net.parameters():
        parameter.data = whole[start : start + parameter.numel()].view(parameter.shape)
        start += parameter.numel()
    report = compare(net, SPEC)
    assert report.equal, report.render()
    assert "one storage" not in report.render()
    assert isinstance(net["cls"].weight, nn.Parameter)


def test_a_strided_view_is_not_the_contiguous_one():
    """As many elements of one storage, from the same start."""
    import torch
    from torch import nn

    vector = torch.empty(12)
    pair = nn.ParameterList([vector[:9:4], vector[:3]])
    assert compare(pair, SPEC).actual == 6


@pytest.mark.parametrize("first", [True, False])
def test_a_storage_with_a_trainable_parameter_is_trainable(first):
    from torch import nn

    net = with_head()
    net["lm"][2].weight = nn.Parameter(net["tok"].weight.detach(), requires_grad=first)
    net["tok"].weight.requires_grad_(not first)
    assert compare(net, WITH_HEAD).equal


def test_a_sparse_parameter_has_no_storage():
    import torch
    from torch import nn

    net = with_head()
    sparse = torch.zeros(31, 12).to_sparse()
    net["lm"][2].weight = nn.Parameter(sparse)
    net["tok"].weight = nn.Parameter(sparse)
    assert compare(net, WITH_HEAD).difference == 31 * 12


def test_all_frozen():
    net = encoder().requires_grad_(False)
    report = compare(net, SPEC)
    assert (report.equal, report.actual, report.frozen) == (False, 0, report.formula)
    assert "which are all parameters; the formula counts trainable ones" in report.render()
    assert compare(net.requires_grad_(True), SPEC).equal
