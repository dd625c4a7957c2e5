"""Which fields of a configuration are sizes, and which may be given as sizes."""

import pytest

pytestmark = pytest.mark.framework("transformers")

NULL = {
    "text_config.head_dim": False,
    "text_config.pad_token_id": True,
    "text_config.rope_scaling": False,
    "text_config.attention_dropout": False,
    "text_config.extra_after_loading": False,
    "text_config.nobody_has_it": False,
    "text_config.vocab_size.more": False,
    "no_config.vocab_size": False,
}


def test_fields_that_are_null_and_may_be_sizes():
    from transformers import LlavaConfig

    from paramproof.tracing.constructors.transformers_class import _may_be_size

    config = LlavaConfig()
    config.text_config.extra_after_loading = None
    assert {name: _may_be_size(config, name) for name in NULL} == NULL


def test_which_fields_are_sizes():
    from paramproof.tracing.constructors.transformers_class import _is_size

    values = (8, 0, -1, True, 8.0, None)
    assert [value for value in values if _is_size("hidden_size", value)] == [8]
    assert not _is_size("hidden_size", True)
    assert not _is_size("pad_token_id", 8)
    assert not _is_size("chunk_size_feed_forward", 8)
