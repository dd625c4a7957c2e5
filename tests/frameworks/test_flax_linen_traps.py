"""Common miscounts in linen, and by how much each one is off."""

import pytest

pytestmark = pytest.mark.framework("flax-linen")

B, S, H, F = 1, 3, 6, 5
DENSE = H * F + F


def entries(tree):
    import jax

    return sum(leaf.size for leaf in jax.tree.leaves(tree))


def variables_of(module):
    """Return what ``init`` would return, as shapes."""
    import jax
    import jax.numpy as jnp

    return jax.eval_shape(module.init, jax.random.key(0), jnp.ones((B, S, H)))


@pytest.fixture
def nn():
    from flax import linen

    return linen


def counts(module):
    """Return the entries of all variables, of ``params`` alone, and of our model's list."""
    from paramproof.builders.frameworks.flax_linen import LinenModel

    variables = variables_of(module)
    ours = sum(weight.size for weight in LinenModel(module, variables).weights())
    return entries(variables), entries(variables["params"]), ours


def test_the_statistics_of_a_batch_norm_are_another_collection(nn):
    norm = nn.BatchNorm(use_running_average=True)
    assert counts(norm) == (2 * H + 2 * H, 2 * H, 2 * H)
    assert entries(variables_of(norm)["batch_stats"]) == 2 * H


def test_the_cache_of_decoding_is_another_collection(nn):
    params = 4 * (H * H + H)
    # The keys and values of every position, and the number of positions so far.
    cache = 2 * B * S * H + 1
    attention = nn.MultiHeadDotProductAttention(num_heads=3, decode=True)
    assert counts(attention) == (params + cache, params, params)


@pytest.mark.parametrize(("collection", "kept"), [("intermediates", 0), ("losses", B * S * F)])
def test_sown_values_are_another_collection(nn, collection, kept):
    """``init`` leaves out only the intermediates."""

    class Sowing(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.Dense(F)(x)
            self.sow(collection, "inner", x)
            return x

    assert counts(Sowing()) == (DENSE + kept, DENSE, DENSE)


def test_a_user_defined_variable_is_another_collection(nn):
    class Remembering(nn.Module):
        @nn.compact
        def __call__(self, x):
            import jax.numpy as jnp

            self.variable("memory", "last", jnp.zeros, x.shape)
            return nn.Dense(F)(x)

    assert counts(Remembering()) == (DENSE + B * S * H, DENSE, DENSE)


@pytest.mark.parametrize("called", [False, True])
def test_a_submodule_that_is_never_called_has_no_parameters(nn, called):
    class Setup(nn.Module):
        def setup(self):
            self.used = nn.Dense(F)
            self.head = nn.Dense(2)

        def __call__(self, x):
            x = self.used(x)
            return self.head(x) if called else x

    params = variables_of(Setup())["params"]
    assert set(params) == ({"used", "head"} if called else {"used"})
    assert entries(params) == DENSE + (2 * F + 2 if called else 0)


def test_a_submodule_called_twice_is_counted_once(nn):
    class Shared(nn.Module):
        @nn.compact
        def __call__(self, x):
            shared = nn.Dense(H)
            return shared(shared(x))

    assert entries(variables_of(Shared())) == H * H + H


def test_a_new_submodule_for_every_call_is_counted_each_time(nn):
    class Anew(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.Dense(H)(nn.Dense(H)(x))

    assert entries(variables_of(Anew())) == 2 * (H * H + H)


def test_tabulate_prints_the_total_of_every_collection(nn):
    import jax
    import jax.numpy as jnp

    norm = nn.BatchNorm(use_running_average=True)
    table = norm.tabulate(jax.random.key(0), jnp.ones((B, S, H)))
    assert f"Total Parameters: {2 * H + 2 * H} " in table


def test_dropout_has_no_variables(nn):
    """Its random key is an argument of every call; nnx and Keras keep one."""
    assert entries(variables_of(nn.Dropout(0.1, deterministic=True))) == 0


@pytest.mark.parametrize("qkv_features", [6, 12])
def test_qkv_features_is_the_width_of_all_heads(nn, qkv_features):
    """Keras's ``key_dim`` is the width of one head; here 2 heads of width 6 are requested as 12."""
    attention = nn.MultiHeadDotProductAttention(num_heads=2, qkv_features=qkv_features)
    width = qkv_features
    assert entries(variables_of(attention)) == 3 * (H * width + width) + width * H + H
