"""Configurations as others write them, read as specs.

The ``config.json`` of Hugging Face (BERT, ERNIE, RoBERTa, GPT-2, LLaMA), Google's
``bert_config.json``, Baidu's ``ernie_config.json``, and BERT's and GPT-2's files from before
there was a ``model_type``. A file is read whole or not at all: a
key either says a size, or is known not to change what there is to count, or is refused by
name. So is an architecture that no spec describes.
"""

from paramproof.sources.configs.reading import Configuration, read_config, spec_of_config

__all__ = ["Configuration", "read_config", "spec_of_config"]
