"""KerasHub's backbones against the same architectures of Hugging Face transformers, in letters."""
