"""Live modules of PyTorch with names of their own: as built, tied, wrapped, sharded, quantised."""

import re
import warnings
from dataclasses import replace
from functools import partial

import pytest

from docs.writers.blocks import write_files
from paramproof import compare
from paramproof.formulas.models import named_model
from tests.frameworks.modules import nn, torch
from tests.literals import TOTALS
from tests.plugin import DOCUMENT, example, run_pytest
from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch")

H, V = 12, 31
WITH_HEAD = replace(SPEC, mlm_head=True)
ONCE = "one storage, counted once: "
TIED = f"{ONCE}tok.weight, lm.2.weight"


def encoder():
    """Return an encoder as others write it: separate projections, lists, a parameter of its own."""
    from torch import empty, nn

    def block():
        parts = {name: nn.Linear(H, H) for name in ("wq", "wk", "wv", "wo")}
        parts |= {"up": nn.Linear(H, 20), "down": nn.Linear(20, H)}
        return nn.ModuleDict(parts | {"ln_1": nn.LayerNorm(H), "ln_2": nn.LayerNorm(H)})

    net = nn.ModuleDict({"tok": nn.Embedding(V, H), "seg": nn.Embedding(2, H)})
    net["ln"] = nn.LayerNorm(H)
    net["h"] = nn.ModuleList(block() for _ in range(2))
    net["cls"] = nn.Linear(H, H)
    net.register_parameter("pos", nn.Parameter(empty(1, 17, H)))
    net.register_buffer("position_ids", empty(17))
    return net


def with_head(weight=None, **options):
    net = encoder()
    net["lm"] = nn.ModuleList([nn.Linear(H, H), nn.LayerNorm(H), nn.Linear(H, V)])
    if weight:
        net["lm"][2].weight = weight(net["tok"].weight)
    return net


def changed(change, net=encoder):
    net = net()
    change(net)
    return net


@pytest.fixture(params=["cpu", "meta"])
def device(request):
    with torch.device(request.param):
        yield request.param


def transposed(table):
    return nn.Parameter(table.detach().T)


def by_data(net):
    net["lm"][2].weight.data = net["tok"].weight.data


def shared_layer(net):
    net["h"][1] = net["h"][0]


def sparse(net):
    table = torch.zeros(V, H).to_sparse()
    net["lm"][2].weight, net["tok"].weight = nn.Parameter(table), nn.Parameter(table)


def flattened(net):
    """As in FSDP, or in a buffer that an optimiser has made contiguous."""
    whole = torch.empty(sum(parameter.numel() for parameter in net.parameters()))
    start = 0
    for parameter in net.parameters():
        parameter.data = whole[start : start + parameter.numel()].view(parameter.shape)
        start += parameter.numel()


def to(kind, net):
    for parameter in net.parameters():
        parameter.data = parameter.data.to(kind)


def freeze_bias(net):
    net["h"][1]["up"].bias.requires_grad_(False)


def freeze_one_of_two(first, net):
    net["lm"][2].weight = nn.Parameter(net["tok"].weight.detach(), requires_grad=first)
    net["tok"].weight.requires_grad_(not first)


def models():
    """Yield models with their spec and difference, the entries that are frozen, and a row."""
    layer = sum(one.numel() for one in encoder()["h"][0].parameters())
    whole = sum(one.numel() for one in encoder().parameters())
    yield encoder(), SPEC, 0, 0, ""
    yield with_head(), WITH_HEAD, V * H, 0, ""
    for view in (lambda one: one, lambda one: nn.Parameter(one.detach()), transposed):
        yield with_head(view), WITH_HEAD, 0, 0, TIED
    yield with_head(lambda one: nn.Parameter(one.detach().view(-1))), WITH_HEAD, 0, 0, TIED
    yield changed(by_data, with_head), WITH_HEAD, 0, 0, TIED
    yield changed(shared_layer), SPEC, -layer, 0, ONCE
    yield changed(flattened), SPEC, 0, 0, "(?s)^((?!one storage).)*$"
    said = "feed_forward.intermediate.bias is frozen, but should be trainable.*named h.1.up.bias"
    yield changed(freeze_bias), SPEC, -20, 20, said
    said = "which are all parameters; the formula counts trainable ones"
    yield changed(lambda net: net.requires_grad_(False)), SPEC, -whole, whole, said
    for first in (True, False):
        yield changed(partial(freeze_one_of_two, first), with_head), WITH_HEAD, 0, 0, TIED
    for kind in (torch.bfloat16, torch.float16, torch.float8_e4m3fn, torch.complex64):
        yield changed(partial(to, kind)), SPEC, 0, 0, ""
    yield nn.DataParallel(encoder()), SPEC, 0, 0, ""
    if torch.get_default_device().type == "cpu":
        # A sparse tensor has no storage.
        yield changed(sparse, with_head), WITH_HEAD, V * H, 0, ""
        yield torch.compile(encoder()), SPEC, 0, 0, ""
        yield torch.compile(nn.DataParallel(encoder())), SPEC, 0, 0, ""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore:Casting complex")
def test_live_models(device):
    found = list(models())
    assert len(found) >= 17
    for number, (model, spec, difference, frozen, said) in enumerate(found):
        report = compare(model, spec)
        assert (report.difference, report.frozen) == (difference, frozen), (number, report.render())
        assert report.equal == (difference == 0)
        assert re.search(said, report.render()), (number, report.render())


def test_a_strided_view_is_not_the_contiguous_one():
    """As many elements of one storage, from the same start."""
    vector = torch.empty(12)
    pair = torch.nn.ParameterList([vector[:9:4], vector[:3]])
    assert compare(pair, SPEC).actual == 6


def test_on_the_meta_device_at_real_size():
    with torch.device("meta"):
        tables = [nn.Embedding(rows, 768) for rows in (30522, 512, 2)]
        layers = [nn.TransformerEncoderLayer(768, 12, 3072) for _ in range(12)]
        model = nn.ModuleList([*tables, *layers, nn.LayerNorm(768), nn.Linear(768, 768)])
    report = compare(model, named_model("bert-base").spec)
    assert (report.equal, report.actual) == (True, TOTALS["bert-base-uncased"])


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


def refusal(model):
    with pytest.raises(ValueError, match=r".") as caught:
        compare(model, SPEC)
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("strategy", ["FULL_SHARD", "NO_SHARD"])
def test_sharded_by_fsdp(own, strategy, two_ranks):
    """With flat parameters, or with the original ones, which are pieces of shards."""
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy

    net = FullyShardedDataParallel(
        encoder(),
        use_orig_params=own,
        device_id=torch.device("cpu"),
        sharding_strategy=ShardingStrategy[strategy],
    )
    if own and strategy == "NO_SHARD":
        assert compare(net, SPEC).equal
        return
    name = "pos" if own else "_flat_param"
    assert refusal(net) == (
        "torch.distributed.fsdp.fully_sharded_data_parallel.FullyShardedDataParallel is sharded "
        "by FSDP: tensors are concatenated into flat parameters and cut into shards "
        f"(it has _fsdp_wrapped_module.{name}): compare the module before it is wrapped, or "
        "within FullyShardedDataParallel.summon_full_params(model)"
    )
    with FullyShardedDataParallel.summon_full_params(net, writeback=False):
        assert compare(net, SPEC).equal


def test_fully_shard(two_ranks):
    """Its parameters know the shape of the whole."""
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard

    net = encoder()
    for module in (net["cls"], net["h"][0]["wq"]):
        fully_shard(module, mesh=init_device_mesh("cpu", (2,)))
    assert type(net["cls"].weight).__name__ == "DTensor"
    assert compare(net, SPEC).equal


def quantised_by_pytorch():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.ao.quantization.quantize_dynamic(encoder(), {torch.nn.Linear})


def in_whole_numbers(kind):
    """As in bitsandbytes: two of 4 bits in a byte, or one of 8."""
    packed = torch.empty(72, 1, dtype=getattr(torch, kind))
    weight = torch.nn.Parameter(packed, requires_grad=False)
    return changed(lambda net: setattr(net["h"][1]["wk"], "weight", weight))


def packed_buffer():
    """As GPTQ and AWQ store them, in place of parameters."""
    net = encoder()
    del net["h"][0]["wq"].weight
    net["h"][0]["wq"].register_buffer("qweight", torch.empty(2, H, dtype=torch.int32))
    return net


def adapted():
    """As in PEFT's layers."""
    net = encoder().requires_grad_(False)
    net["h"][0]["wq"].lora_A = nn.ModuleDict({"default": nn.Linear(H, 2, bias=False)})
    return net


def lazy():
    return changed(lambda net: net.update({"cls": nn.LazyLinear(H)}))


def no_weights():
    return nn.ModuleList()


KIND = "torch.nn.modules.container.ModuleDict "
QUANTISED = (
    "is quantised: weights are packed or have separate scales (it has {}): compare the model "
)
QUANTISED += "before it is quantised"
LINEAR = "torch.ao.nn.quantized.dynamic.modules.linear.Linear"
REFUSED = {
    quantised_by_pytorch: QUANTISED.partition("{}")[0],
    # Also with nothing but quantised layers.
    (lambda: quantised_by_pytorch()["cls"]): QUANTISED.format(LINEAR),
    partial(in_whole_numbers, "uint8"): KIND + QUANTISED.format("h.1.wk.weight"),
    partial(in_whole_numbers, "int8"): KIND + QUANTISED.format("h.1.wk.weight"),
    packed_buffer: QUANTISED.format("h.0.wq.qweight"),
    adapted: f"{KIND}has tensors of an adapter, which are added to "
    "weights and are not weights themselves (it has h.0.wq.lora_A.default.weight): compare "
    "what merge_and_unload() returns, or the model before it had them",
    lazy: "ModuleDict is not built: cls.weight has no shape yet",
    no_weights: "ModuleList is empty: it has no weights",
    (
        lambda: encoder()["h"][0].ln_1.state_dict(prefix="ln_1.")
    ): "ln_1.weight is not linen's but of torch.Tensor: a dict does not tell",
}


@pytest.mark.parametrize(("make", "said"), REFUSED.items())
def test_refused(make, said):
    assert said in refusal(make())


def test_the_documentation(tmp_path):
    """Run all of its tests in one process, which imports no other framework."""
    write_files(DOCUMENT, tmp_path)
    source = example("test_encoder.py")
    (tmp_path / "test_broken.py").write_text(source.replace("nn.LayerNorm(12), ", ""))
    source = source.replace("from torch", "import sys\n\nfrom torch")
    source += "    assert not {'keras', 'tensorflow', 'jax', 'flax'} & set(sys.modules)\n"
    (tmp_path / "test_encoder.py").write_text(source)
    done = run_pytest(tmp_path)
    assert "1 failed, 3 passed" in done.stdout, done.stdout
    shown = re.search(r"^    actual 5,340 .*\n( {4}.*\n)+", DOCUMENT.read_text("utf-8"), re.M)
    assert re.sub("^ {4}", "E       ", shown[0], flags=re.M) in done.stdout


def test_the_documented_decoders(paramproof, tmp_path):
    (tmp_path / "decoders.py").write_text(example("decoders.py"))
    torch = ("--framework", "torch")
    done = paramproof("verify", "--formula", "decoders:gpt2", "--model", "gpt2", *torch)
    assert "26 of 26 models have the count of decoders:gpt2\n" in done.stdout, done.stderr
    transcript = r"\$ paramproof (verify --formula decoders:llama .*)\n    (.*\n)    (.*\n)"
    asked, *lines = re.search(transcript, DOCUMENT.read_text("utf-8")).groups()
    done = paramproof(*asked.split(), *torch)
    assert done.returncode == 1, done.stderr
    assert "".join(lines) in done.stdout
