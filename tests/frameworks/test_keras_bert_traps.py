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


@pytest.mark.usefixtures("graph")
def test_compile_model_is_broken():
    """Its optimizer is written for Keras before 2.11; compile with another one."""
    import keras_bert

    model = get_model()
    with pytest.raises(AttributeError, match="'AdamWarmup' object has no attribute '_set_hyper'"):
        keras_bert.compile_model(model)


@pytest.mark.parametrize("seq_len", [None, 1, P])
@pytest.mark.usefixtures("graph")
def test_the_sequence_length_does_not_change_the_position_table(seq_len):
    assert get_model(seq_len=seq_len, training=False).count_params() == BARE


@pytest.mark.usefixtures("graph")
def test_a_sequence_longer_than_the_table_is_refused():
    with pytest.raises(ValueError, match=f"Dimensions must be equal, but are {P + 1} and {P}"):
        get_model(seq_len=P + 1)


@pytest.mark.usefixtures("graph")
def test_a_task_embedding_is_one_more_table():
    model = get_model(use_task_embed=True, task_num=3, training=False)
    assert model.count_params() == BARE + 3 * H


@pytest.mark.usefixtures("graph")
def test_a_negative_number_of_layers_means_none():
    counts = [get_model(transformer_num=layers).count_params() for layers in (0, -1)]
    assert counts == [EMBEDDINGS + POOLER + HEADS] * 2


@pytest.mark.usefixtures("graph")
def test_dropout_has_no_variables():
    assert get_model(dropout_rate=0.1, training=False).count_params() == BARE
