"""Live models of MLX: compared, counted, and derived from a function that builds them."""

import sys

import pytest

import paramproof
from paramproof import compare
from paramproof.sources.live import live_weights
from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("mlx")

H, A, F = SPEC.hidden_size, SPEC.num_attention_heads, SPEC.intermediate_size

MODULE = """
import mlx.core as mx
from mlx import nn

def encoder(width=12, heads=3, layers=2, inner=20):
    return nn.TransformerEncoder(layers, width, heads, inner)

def large(width=12288, heads=96, layers=96, inner=49152):
    return encoder(width, heads, layers, inner)

def normalised(width=12):
    return nn.Sequential(nn.Linear(width, 2 * width), nn.BatchNorm(2 * width))

def frozen(width=12):
    module = nn.Linear(width, 2 * width)
    module.freeze()
    return module

def arrays(width=12):
    return {"weight": mx.zeros((width,))}
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    yield __import__("mine")
    sys.modules.pop("mine")


@pytest.fixture
def net():
    """Return an encoder by a user, with names of its own."""
    from mlx import nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = nn.MultiHeadAttention(H, A, bias=True)
            self.norms = [nn.LayerNorm(H), nn.LayerNorm(H)]
            self.up, self.down = nn.Linear(H, F), nn.Linear(F, H)

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            rows = SPEC.vocab_size, SPEC.max_position_embeddings, SPEC.type_vocab_size
            self.tables = [nn.Embedding(n, H) for n in rows]
            self.norm = nn.LayerNorm(H)
            self.blocks = [Block() for _ in range(SPEC.num_hidden_layers)]
            self.cls = nn.Linear(H, H)

    return Net()


def test_an_encoder_is_equal(net):
    report = compare(net, SPEC)
    assert report.equal, report.render()
    assert report.frozen == 0
    paramproof.assert_parameters(net, SPEC)


def test_frozen_parameters_are_not_counted(net):
    net.cls.freeze()
    report = compare(net, SPEC)
    assert (report.difference, report.frozen) == (-(H * H + H), H * H + H)


def test_a_module_without_biases_is_named(net):
    from mlx import nn

    net.blocks[0].heads = nn.MultiHeadAttention(H, A)
    report = compare(net, SPEC)
    assert report.difference == -4 * H
    assert "attention" in report.render()


def test_a_shared_array_is_one_weight_with_two_names(net):
    net.blocks[1].up.weight = net.blocks[0].up.weight
    (shared,) = (one for one in live_weights(net) if one.aliases)
    assert (shared.path, shared.aliases) == ("blocks.0.up.weight", ("blocks.1.up.weight",))
    assert compare(net, SPEC).difference == -H * F


def test_it_is_counted_without_computing_anything(mine):
    assert paramproof.count(mine.large()).total == 173_956_816_896
    # Its statistics are no trainable parameters.
    assert paramproof.count(mine.normalised()).total == 12 * 24 + 24 + 2 * 24


def test_a_quantised_module_is_refused_by_name():
    from mlx import nn

    net = nn.Sequential(nn.Linear(64, 64), nn.Linear(64, 64))
    nn.quantize(net, group_size=64, bits=4)
    with pytest.raises(ValueError, match=r"Sequential is quantised \(it has layers\.\d\): "):
        live_weights(net)


def test_other_objects_of_mlx_are_not_models():
    import mlx.core as mx
    from mlx import optimizers

    with pytest.raises(ValueError, match=r"SGD is not an mlx\.nn\.Module"):
        live_weights(optimizers.SGD(0.1))
    with pytest.raises(ValueError, match=r"params/w is not linen's but of mlx\.core\.array"):
        live_weights({"params": {"w": mx.zeros(3)}})


def test_a_formula_is_derived(mine, paramproof):
    done = paramproof("derive", "mine:encoder")
    assert done.returncode == 0, done.stderr
    assert "L × (4·H² + 2·H·in + 5·H + in)\n  + 2·H\n" in done.stdout.replace("    + ", "  + ")
    assert "fitted, not proved" in done.stdout
    assert "built with mlx" in done.stdout


def test_statistics_are_derived_as_not_trainable(mine, paramproof):
    done = paramproof("derive", "mine:normalised")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not trainable") == 2


def test_a_frozen_module_has_the_formula_0(mine, paramproof):
    done = paramproof("derive", "mine:frozen")
    assert done.returncode == 0, done.stderr
    assert "\n  = 0\n" in done.stdout


def test_nothing_is_computed_when_a_formula_is_derived(mine, paramproof):
    """Its default model has 174 billion parameters, and validation goes further."""
    done = paramproof("derive", "mine:large")
    assert done.returncode == 0, done.stderr
    assert "= 173,956,816,896" in done.stdout


def test_a_dict_of_arrays_is_refused(mine, refused):
    assert "is not linen's but of mlx.core.array" in refused("derive", "mine:arrays")
