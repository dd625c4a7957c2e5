"""PyTorch modules as they are trained and shipped: wrapped, sharded, quantised, adapted."""

import warnings

import pytest

from paramproof import compare
from tests.frameworks.live_torch import encoder
from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch")


def refusal(model):
    with pytest.raises(ValueError, match=r".") as caught:
        compare(model, SPEC)
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("wrapper", ["compile", "DataParallel", "both"])
def test_wrappers_change_no_shape(wrapper):
    import torch

    net = encoder()
    if wrapper != "compile":
        net = torch.nn.DataParallel(net)
    if wrapper != "DataParallel":
        net = torch.compile(net)
    first = next(name for name, _ in net.named_parameters())
    assert first.startswith("module." if wrapper == "DataParallel" else "_orig_mod.")
    assert compare(net, SPEC).equal


@pytest.fixture
def two_ranks():
    """Start the first of two processes; the second is missing, so nothing is computed."""
    from torch import distributed
    from torch.testing._internal.distributed.fake_pg import FakeStore

    distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    distributed.destroy_process_group()


@pytest.mark.parametrize("own", [False, True])
def test_sharded_by_fsdp(own, two_ranks):
    """With flat parameters, or with the original ones, which are pieces of shards."""
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel

    net = FullyShardedDataParallel(encoder(), use_orig_params=own, device_id=torch.device("cpu"))
    name = "pos" if own else "_flat_param"
    assert refusal(net) == (
        "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel is sharded "
        "by FSDP: tensors are concatenated into flat parameters and cut into shards "
        f"(it has _fsdp_wrapped_module.{name}): compare the module before it is wrapped, or "
        "within FullyShardedDataParallel.summon_full_params(model)"
    )
    with FullyShardedDataParallel.summon_full_params(net, writeback=False):
        assert compare(net, SPEC).equal


@pytest.mark.parametrize("own", [False, True])
def test_fsdp_that_shards_nothing(own, two_ranks):
    import torch
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

    net = FullyShardedDataParallel(
        encoder(),
        use_orig_params=own,
        device_id=torch.device("cpu"),
        sharding_strategy=ShardingStrategy.NO_SHARD,
    )
    if own:
        assert compare(net, SPEC).equal
    else:
        assert "(it has _fsdp_wrapped_module._flat_param)" in refusal(net)


def test_fully_shard(two_ranks):
    """Its parameters know the shape of the whole."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    net = encoder()
    for module in (net["cls"], net["h"][0]["wq"]):
        fully_shard(module, mesh=init_device_mesh("cpu", (2,)))
    assert type(net["cls"].weight).__name__ == "DTensor"
    assert compare(net, SPEC).equal


SAID = "is quantised: weights are packed or have separate scales (it has "
ADVICE = "): compare the model before it is quantised"


def test_quantised_by_pytorch():
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net = torch.ao.quantization.quantize_dynamic(encoder(), {torch.nn.Linear})
    line = refusal(net)
    assert SAID in line
    assert line.endswith(ADVICE)
    # Also with nothing but quantised layers.
    line = refusal(net["cls"])
    assert f"{SAID}torch.ao.nn.quantized.dynamic.modules.linear.Linear{ADVICE}" in line


@pytest.mark.parametrize("kind", ["uint8", "int8"])
def test_parameters_in_whole_numbers(kind):
    """As in bitsandbytes: two of 4 bits in a byte, or one of 8."""
    import torch
    from torch import nn

    net = encoder()
    packed = torch.empty(72, 1, dtype=getattr(torch, kind))
    net["h"][1]["wk"].weight = nn.Parameter(packed, requires_grad=False)
    assert refusal(net) == f"torch.nn.modules.container.ModuleDict {SAID}h.1.wk.weight{ADVICE}"


def test_packed_buffers():
    """As GPTQ and AWQ store them, in place of parameters."""
    import torch

    net = encoder()
    del net["h"][0]["wq"].weight
    net["h"][0]["wq"].register_buffer("qweight", torch.empty(2, 12, dtype=torch.int32))
    assert refusal(net).endswith(f"{SAID}h.0.wq.qweight{ADVICE}")


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float8_e4m3fn", "complex64"])
def test_any_dtype_that_can_be_trained_is_counted(kind):
    import torch

    with torch.device("meta"):
        net = encoder()
    for parameter in net.parameters():
        parameter.data = parameter.data.to(getattr(torch, kind))
    assert compare(net, SPEC).equal


def test_an_adapter():
    """As in PEFT's layers."""
    from torch import nn

    net = encoder().requires_grad_(False)
    net["h"][0]["wq"].lora_A = nn.ModuleDict({"default": nn.Linear(12, 2, bias=False)})
    assert refusal(net) == (
        "torch.nn.modules.container.ModuleDict has tensors of an adapter, which are added to "
        "weights and are not weights themselves (it has h.0.wq.lora_A.default.weight): compare "
        "what merge_and_unload() returns, or the model before it had them"
    )
