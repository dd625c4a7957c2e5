"""Which fields of a configuration are sizes, and which may be given as sizes."""

import pytest

pytestmark = pytest.mark.framework("transformers")


@pytest.fixture
def config():
    from transformers import LlavaConfig

    found = LlavaConfig()
    found.text_config.extra_after_loading = None
    return found


@pytest.mark.parametrize(
    ("name", "may_be"),
    [
        ("text_config.head_dim", False),
        ("text_config.pad_token_id", True),
        ("text_config.rope_scaling", False),
        ("text_config.attention_dropout", False),
        ("text_config.extra_after_loading", False),
        ("text_config.nobody_has_it", False),
        ("text_config.vocab_size.more", False),
        ("no_config.vocab_size", False),
    ],
)
def test_fields_that_are_null_and_may_be_sizes(config, name, may_be):
    from paramproof.tracing.constructors.transformers_class import _may_be_size

    assert _may_be_size(config, name) == may_be


@pytest.mark.parametrize(
    ("name", "value", "is_size"),
    [
        ("hidden_size", 8, True),
        ("hidden_size", 0, False),
        ("hidden_size", -1, False),
        ("hidden_size", True, False),
        ("hidden_size", 8.0, False),
        ("hidden_size", None, False),
        ("pad_token_id", 8, False),
        ("chunk_size_feed_forward", 8, False),
    ],
)
def test_which_fields_are_sizes(name, value, is_size):
    from paramproof.tracing.constructors.transformers_class import _is_size

    assert _is_size(name, value) == is_size
