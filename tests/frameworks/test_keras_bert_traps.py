"""Common miscounts in keras-bert, and by how much each one is off."""

import pytest

from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("keras-bert")

L, H, A, F, V, P, T, *_ = SPEC.letters()
EMBEDDINGS = (V + P + T) * H + 2 * H
LAYER = 4 * H * H + 9 * H + 2 * H * F + F
POOLER = H * H + H
HEADS = (H * H + H + 2 * H + V) + (2 * H + 2)
BARE = EMBEDDINGS + L * LAYER


def get_model(**changes):
    """Call keras-bert as its users do; return a model even where it returns inputs and outputs."""
    import keras_bert
    from tensorflow import keras

    built = keras_bert.get_model(
        **{
            "token_num": V,
            "pos_num": P,
            "seq_len": None,
            "embed_dim": H,
            "transformer_num": L,
            "head_num": A,
            "feed_forward_dim": F,
            "dropout_rate": 0.0,
            **changes,
        }
    )
    return keras.Model(*built) if isinstance(built, tuple) else built


@pytest.fixture
def graph():
    import tensorflow as tf

    with tf.Graph().as_default():
        yield


def trainable(model):
    return sum(weight.shape.num_elements() for weight in model.trainable_weights)


@pytest.mark.usefixtures("graph")
def test_training_adds_the_pooler_and_both_heads():
    assert get_model(training=False).count_params() == BARE
    assert get_model(training=True).count_params() == BARE + POOLER + HEADS


@pytest.mark.parametrize(
    ("training", "flag", "count"),
    [
        (True, None, BARE + POOLER + HEADS),
        (True, False, 0),
        (False, None, 0),
        (False, True, BARE),
    ],
)
@pytest.mark.usefixtures("graph")
def test_trainable_defaults_to_training(training, flag, count):
    model = get_model(training=training, trainable=flag)
    assert model.count_params() == BARE + (POOLER + HEADS if training else 0)
    assert trainable(model) == count


@pytest.mark.parametrize(
    ("layers", "prefixes", "count"),
    [
        (L, ["Encoder"], L * LAYER),
        (L, ["Encoder-1"], LAYER),
        # The prefix matches Encoder-10, too.
        (10, ["Encoder-1"], 2 * LAYER),
        (L, ["Embedding", "NSP"], EMBEDDINGS + POOLER + 2 * H + 2),
        (L, [], 0),
    ],
)
@pytest.mark.usefixtures("graph")
def test_trainable_accepts_prefixes_of_names(layers, prefixes, count):
    assert trainable(get_model(transformer_num=layers, trainable=prefixes)) == count


def test_trainable_prefixes_need_a_graph():
    """Prefixes are passed on to the first norm; eagerly, tf-keras requires a boolean there."""
    with pytest.raises(TypeError, match="Expected `trainable` argument to be a boolean"):
        get_model(trainable=["Encoder-1"])
