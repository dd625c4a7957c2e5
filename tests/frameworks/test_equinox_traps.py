"""Common miscounts in Equinox, and by how much each one is off."""

import pytest

from tests.frameworks.unchecked import AS_THE_FORMULA, assert_outcome, spec_without_checks
from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("equinox")

H, F, A = 6, 5, 3
DENSE = H * F + F


@pytest.fixture
def eqx():
    import equinox

    return equinox


@pytest.fixture
def key():
    import jax

    return jax.random.key(0)


def arrays(tree):
    """Return the entries of all arrays, as ``eqx.filter`` finds them."""
    import equinox as eqx
    import jax

    return sum(leaf.size for leaf in jax.tree.leaves(eqx.filter(tree, eqx.is_inexact_array)))


def counts(module):
    """Return the entries of all arrays, of our list, and of what in it is trainable."""
    from paramproof.builders.frameworks.equinox import live_weights

    ours = live_weights(module)
    trainable = sum(weight.size for weight in ours if weight.trainable)
    return arrays(module), sum(weight.size for weight in ours), trainable


def test_attention_has_no_biases_by_default(monkeypatch):
    """Four biases of H in each of BERT-base's 12 layers: 48·H parameters."""
    from paramproof.builders import load
    from paramproof.builders.frameworks.equinox import layers
    from paramproof.formulas.models import named_model

    spec = named_model("bert-base").spec

    def total():
        return sum(weight.size for weight in load("equinox").build(spec).weights())

    whole = total()
    attention = layers.eqx.nn.MultiheadAttention

    def by_default(heads, size, *, dtype, key, **biases):
        assert set(biases.values()) == {True}
        return attention(heads, size, dtype=dtype, key=key)

    monkeypatch.setattr(layers.eqx.nn, "MultiheadAttention", by_default)
    assert total() - whole == -48 * spec.hidden_size == -36_864


def test_an_rms_norm_has_a_bias_by_default(eqx):
    """Other frameworks have none; a LLaMA of L layers would have (2·L + 1)·H parameters more."""
    assert counts(eqx.nn.RMSNorm(H)) == (2 * H,) * 3
    assert counts(eqx.nn.RMSNorm(H, use_bias=False)) == (H,) * 3


def test_a_layer_in_two_places_is_two_layers(eqx, key):
    """It is one object at first, but each place gets a gradient of its own."""
    linear = eqx.nn.Linear(H, H, key=key)
    module = eqx.nn.Sequential([linear, linear])
    assert module[0].weight is module[1].weight
    assert counts(module) == (2 * (H * H + H),) * 3
    trained = eqx.filter_grad(lambda module: module[0](module[1].bias).sum())(module)
    assert (trained[0].weight != trained[1].weight).any()


@pytest.fixture
def shared(eqx, key):
    tables = (eqx.nn.Embedding(F, H, key=key), eqx.nn.Linear(H, F, key=key))
    return eqx.nn.Shared(tables, lambda pair: pair[1].weight, lambda pair: pair[0].weight)


def test_a_shared_matrix_is_counted_once(eqx, shared):
    assert counts(shared) == (F * H + F,) * 3
    # Put together, it is in the tree twice.
    assert arrays(shared()) == 2 * F * H + F


@pytest.mark.parametrize("abstract", [False, True])
def test_a_shared_matrix_has_two_names(eqx, key, shared, abstract):
    from paramproof.builders.frameworks.equinox import live_weights

    class Model(eqx.Module):
        tables: eqx.nn.Shared
        head: eqx.nn.Linear

    model = Model(shared, eqx.nn.Linear(H, H, key=key))
    if abstract:
        model = eqx.filter_eval_shape(lambda: model)
    found = {weight.path: weight.aliases for weight in live_weights(model)}
    assert found == {
        "tables.0.weight": ("tables.1.weight",),
        "tables.1.bias": (),
        "head.weight": (),
        "head.bias": (),
    }


def test_a_matrix_that_is_shared_transposed_is_counted_once(eqx, key):
    layers = (eqx.nn.Linear(H, F, use_bias=False, key=key), eqx.nn.Linear(F, H, key=key))
    shared = eqx.nn.Shared(layers, lambda pair: pair[1].weight, lambda pair: pair[0].weight.T)
    assert counts(shared) == (F * H + H,) * 3
    assert counts(eqx.filter_eval_shape(lambda: shared))[1:] == (F * H + H,) * 2


@pytest.mark.parametrize("mode", ["batch", "ema"])
def test_the_statistics_of_a_batch_norm_are_a_second_object(eqx, mode):
    """They are in the tree of the module until ``make_with_state`` moves them out."""
    whole = eqx.nn.BatchNorm(H, "batch", mode=mode)
    module, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(H, "batch", mode=mode)
    assert arrays(state) == 2 * H
    assert counts(module) == (2 * H,) * 3
    assert counts(whole) == (2 * H + 2 * H, 2 * H + 2 * H, 2 * H)


def test_a_state_is_not_a_model(eqx):
    from paramproof.sources.live import live_weights

    _, state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(H, "batch", mode="ema")
    with pytest.raises(ValueError, match=r"State is not an eqx\.Module"):
        live_weights(state)


def test_nothing_says_what_is_trainable(eqx, key):
    """A user passes a second tree, a filter, to say which arrays are frozen."""
    import jax

    linear = eqx.nn.Linear(H, F, key=key)
    frozen = eqx.tree_at(lambda tree: tree.bias, jax.tree.map(lambda _: True, linear), False)
    trained, rest = eqx.partition(linear, frozen)
    assert (arrays(trained), arrays(rest)) == (H * F, F)
    assert counts(linear) == (DENSE,) * 3


def test_an_integer_array_is_not_a_parameter(eqx, key):
    import jax
    import jax.numpy as jnp

    class Model(eqx.Module):
        linear: eqx.nn.Linear
        positions: jax.Array
        rate: float

    model = Model(eqx.nn.Linear(H, F, key=key), jnp.arange(7), 0.1)
    assert counts(model) == (DENSE,) * 3


def test_a_prelu_and_a_spectral_norm_have_parameters_of_their_own(eqx, key):
    assert counts(eqx.nn.PReLU()) == (1, 1, 1)
    linear = eqx.nn.Linear(H, F, key=key)
    # Two vectors of its power iteration are state.
    norm = eqx.nn.SpectralNorm(linear, "weight", key=key)
    assert counts(norm) == (DENSE + H + F, DENSE + H + F, DENSE)


def test_layers_made_by_vmap_are_one_module(eqx, key):
    """Each array has an axis of layers, and there is no list of layers."""
    import jax

    from paramproof.builders.frameworks.equinox import live_weights

    make = eqx.filter_vmap(lambda key: eqx.nn.Linear(H, F, key=key))
    (weight, bias) = live_weights(make(jax.random.split(key, 4)))
    assert (weight.shape, bias.shape) == ((4, F, H), (4, F))


def test_rotary_positions_ignore_theta_after_the_first_model(eqx):
    """This is why our LLaMA has its own rotation: the cache of angles ignores theta."""
    import jax.numpy as jnp

    def turned(theta):
        return eqx.nn.RotaryPositionalEmbedding(4, theta)(jnp.ones((3, 4)))

    eqx.clear_caches()
    first = turned(10_000.0)
    assert (turned(100.0) == first).all()
    eqx.clear_caches()
    assert (turned(100.0) != first).any()
    eqx.clear_caches()


def test_attention_needs_as_many_key_heads_as_query_heads(eqx, key):
    """This is why our LLaMA has its own attention."""
    import jax.numpy as jnp

    def grouped(query, key, value):
        return query, key[:, :1], value[:, :1]

    attention, x = eqx.nn.MultiheadAttention(A, H, key=key), jnp.ones((2, H))
    with pytest.raises(ValueError, match="must not change the shape of the heads"):
        attention(x, x, x, process_heads=grouped)


def columns_lost(hidden_size, heads):
    """Heads of H // A features lose the remainder: 3·(H + 1) + H per column and layer."""
    return -SPEC.num_hidden_layers * (hidden_size % heads) * (4 * hidden_size + 3)


OUTCOMES = {
    ("hidden_size", 10): columns_lost(10, A),
    ("hidden_size", 0): AS_THE_FORMULA,
    ("hidden_size", -6): (ValueError, "embedding_size must not be negative"),
    ("num_attention_heads", 4): columns_lost(H, 4),
    # Heads of no features: nothing but the bias of the output is left.
    ("num_attention_heads", 12): columns_lost(H, 12),
    ("num_attention_heads", 0): (ZeroDivisionError, "modulo by zero"),
    ("num_attention_heads", -3): AS_THE_FORMULA,
    ("intermediate_size", 0): AS_THE_FORMULA,
    ("intermediate_size", -1): (ValueError, "math domain error"),
    ("vocab_size", 0): AS_THE_FORMULA,
    ("vocab_size", -1): (ValueError, "num_embeddings must not be negative"),
    ("max_position_embeddings", 0): AS_THE_FORMULA,
    ("max_position_embeddings", -1): (ValueError, "num_embeddings must not be negative"),
    ("type_vocab_size", 0): AS_THE_FORMULA,
    ("type_vocab_size", -1): (ValueError, "num_embeddings must not be negative"),
}


@pytest.mark.parametrize(("changed", "outcome"), OUTCOMES.items())
def test_sizes_without_our_checks(changed, outcome):
    from paramproof.builders import load

    assert_outcome(load("equinox"), spec_without_checks(**dict([changed])), outcome)
