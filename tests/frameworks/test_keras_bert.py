"""keras-bert itself, called as in the question."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from paramproof import compare
from paramproof.builders import UnsupportedSpec, load
from paramproof.formulas import Numerics
from tests import literals
from tests.sessions import run_python
from tests.specs import LIVE_ENCODER, SMALL_ENCODER

pytestmark = pytest.mark.framework("keras-bert")


@pytest.fixture(scope="module")
def question():
    """Return the question's model, with exactly its arguments and without changes of ours."""
    import tensorflow as tf
    from keras_bert import get_model

    with tf.Graph().as_default():
        yield get_model(
            token_num=30000,
            head_num=12,
            transformer_num=12,
            embed_dim=768,
            feed_forward_dim=3072,
            seq_len=500,
            pos_num=512,
            dropout_rate=0.05,
        )


def test_the_question(question):
    assert question.count_params() == literals.TOTALS["keras-bert-question"]
    for layer in range(1, 13):
        attention = question.get_layer(f"Encoder-{layer}-MultiHeadSelfAttention")
        assert attention.count_params() == literals.ATTENTION_LAYER == 2_362_368
        assert sum(w.shape.num_elements() for w in attention.trainable_weights) == 2_362_368


def test_the_mask_must_hide_exactly_token_0():
    model = load("keras-bert").build(SMALL_ENCODER, allocate=True)
    ids = np.array([[3, 0, 4]])
    with pytest.raises(ValueError, match="token id 0, and no other, is padding"):
        model.run(ids, ids * 0, np.array([[True, True, True]]))


def test_the_graph_is_the_same_as_with_rewriting():
    """TensorFlow rewrites layer source code, a fifth of the build time; the builder avoids that."""
    from paramproof.builders.frameworks import keras_bert

    def operations(spec):
        graph = keras_bert.build(spec).model.weights[0].graph
        return [
            (one.name, one.type, [given.name for given in one.inputs])
            for one in graph.get_operations()
        ]

    for heads in (False, True):
        spec = replace(SMALL_ENCODER, pooler=heads, mlm_head=heads, nsp_head=heads)
        as_built = operations(spec)
        with mock.patch.object(keras_bert, "_model", keras_bert._model.__wrapped__):
            assert operations(spec) == as_built


def test_another_epsilon_is_refused():
    with pytest.raises(UnsupportedSpec, match="epsilon 1e-14 and no other"):
        load("keras-bert").build(SMALL_ENCODER, Numerics(layer_norm_eps=1e-12))


@pytest.mark.parametrize("value", [None, "0"])
def test_keras_3_under_tensorflow_is_named(value):
    """Without the variable, tensorflow.keras is Keras 3: name that at once, not deep in a layer."""
    code = "import tensorflow; import paramproof.builders.frameworks.keras_bert"
    done = run_python("-c", code, TF_USE_LEGACY_KERAS=value)
    assert "FrameworkUnavailable: keras-bert needs TF_USE_LEGACY_KERAS=1" in done.stderr


def test_live():
    """``assert_parameters`` sees a tf-keras model with its own names."""
    import tensorflow as tf
    from keras_bert import get_model

    sizes = {"embed_dim": 12, "feed_forward_dim": 20, "pos_num": 17, "dropout_rate": 0.1}
    heads = replace(LIVE_ENCODER, mlm_head=True, nsp_head=True)
    with tf.Graph().as_default():
        model = get_model(token_num=31, head_num=3, transformer_num=2, seq_len=None, **sizes)
        report = compare(model, heads)
        assert report.equal, report.render()
        model.get_layer("NSP-Dense").trainable = False
        report = compare(model, heads)
    assert (report.difference, report.frozen) == (-(12 * 12 + 12), 12 * 12 + 12)
    with pytest.raises(ValueError, match="is not built"):
        compare(tf.keras.Sequential([tf.keras.layers.Dense(3)]), LIVE_ENCODER)
