"""Live models of Paddle, with their own names and Paddle's two layouts of a layer."""

import pytest

import paramproof
from paramproof.builders import load
from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("paddle")

H, A, F = SPEC.hidden_size, SPEC.num_attention_heads, SPEC.intermediate_size


MODULE = """
import paddle
from paddle import nn

def encoder(width=12, heads=3, layers=2, inner=20):
    return nn.TransformerEncoder(nn.TransformerEncoderLayer(width, heads, inner), layers)

def large(width=12288, heads=96, layers=4, inner=49152):
    return encoder(width, heads, layers, inner)

def normalised(width=12):
    return nn.Sequential(nn.Linear(width, 2 * width), nn.BatchNorm1D(2 * width))

def tensor(width=12):
    return paddle.zeros([width])

def bert():
    tables = [nn.Embedding(rows, 128) for rows in (30522, 512, 2)]
    layer = nn.TransformerEncoderLayer(128, 2, 512)
    encoder = nn.TransformerEncoder(layer, 2)
    return nn.Sequential(*tables, nn.LayerNorm(128), encoder, nn.Linear(128, 128))
"""


@pytest.fixture
def mine(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)


def report_on(model):
    from paramproof import compare

    return compare(model, SPEC)


def encoder(layer=None, norm=None):
    load("paddle")
    from paddle import nn

    layer = layer or nn.TransformerEncoderLayer

    class Net(nn.Layer):
        def __init__(self):
            super().__init__()
            self.tables = nn.LayerList(nn.Embedding(rows, H) for rows in (31, 17, 2))
            self.norm = (norm or nn.LayerNorm)(H)
            self.layers = nn.LayerList(layer(H, A, F) for _ in range(2))
            self.pooler = nn.Linear(H, H)

    return Net()


def test_a_model():
    report = report_on(encoder())
    assert report.equal, report.render()
    assert report.frozen == 0


def test_a_model_that_is_not_allocated():
    load("paddle")
    import paddle

    with paddle.LazyGuard():
        model = encoder()
    paramproof.assert_parameters(model, SPEC)


def test_fused_layers():
    from paddle.incubate.nn import FusedTransformerEncoderLayer

    report = report_on(encoder(layer=FusedTransformerEncoderLayer))
    assert report.equal, report.render()


def test_statistics_are_not_trainable():
    from paddle import nn

    report = report_on(encoder(norm=nn.BatchNorm1D))
    assert (report.equal, report.frozen) == (True, 2 * H)


def test_frozen():
    model = encoder()
    model.pooler.weight.stop_gradient = True
    report = report_on(model)
    assert (report.difference, report.frozen) == (-H * H, H * H)
    assert report.render().count("is frozen, but should be trainable") == 1


def test_a_layer_without_biases():
    """Paddle's bias_attr=False: the biases of 6 dense layers in each of 2 layers."""
    from functools import partial

    from paddle import nn

    report = report_on(encoder(layer=partial(nn.TransformerEncoderLayer, bias_attr=False)))
    assert report.difference == -2 * (5 * H + F)


def test_a_shared_layer_counts_once():
    model = encoder()
    model.again = model.pooler
    report = report_on(model)
    assert report.equal, report.render()
    assert "one storage, counted once: pooler.weight, again.weight" in report.render()


def test_reading_a_model_leaves_it_in_training():
    model = encoder()
    report_on(model)
    assert model.training


def test_count():
    from paddle import nn

    assert paramproof.count(encoder()).total == 3148
    # The running statistics of a batch norm are not trained.
    assert paramproof.count(encoder(norm=nn.BatchNorm1D)).total == 3148


def test_a_tensor_is_not_a_model():
    load("paddle")
    import paddle

    with pytest.raises(ValueError, match=r"^paddle\.Tensor is not an nn\.Layer$"):
        report_on(paddle.ones([3]))


def test_a_dict_of_tensors_is_not_a_model():
    state = dict(encoder().state_dict())
    for given in (state, {"params": state}):
        with pytest.raises(ValueError, match=r"is not linen's but of paddle\.base\."):
            report_on(given)


def test_a_formula_is_derived(mine, paramproof):
    done = paramproof("derive", "mine:encoder")
    assert done.returncode == 0, done.stderr
    assert "L × (4·H² + 2·H·in + 9·H + in)\n" in done.stdout
    assert "fitted, not proved" in done.stdout
    assert "built with paddlepaddle" in done.stdout
    assert "the constructor refuses: AssertionError: embed_dim must be divisible" in done.stdout


def test_statistics_are_derived_as_not_trainable(mine, paramproof):
    done = paramproof("derive", "mine:normalised")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("not trainable") == 2


def test_nothing_is_allocated_when_a_formula_is_derived(mine, paramproof):
    """Its default model would take 29 GB, and validation goes further."""
    done = paramproof("derive", "mine:large")
    assert done.returncode == 0, done.stderr
    assert "= 7,248,396,288" in done.stdout


def test_a_tensor_has_no_formula(mine, refused):
    assert "paddle.Tensor is not an nn.Layer" in refused("derive", "mine:tensor")


def test_compare(mine, paramproof):
    done = paramproof("compare", "mine:bert", "--model", "bert-tiny")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "every tensor is as the formula says" in done.stdout
