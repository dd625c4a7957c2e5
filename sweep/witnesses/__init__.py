"""Compare the catalogue with libraries that build the same models, and were written by others.

``comparison`` says what explains a difference; the causes are data. ``mlx_lm`` and ``keras_hub``
build the models of one library each. ``python -m sweep.witnesses`` compares and records.
"""
