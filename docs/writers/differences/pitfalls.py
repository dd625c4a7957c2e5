"""Common pitfalls, in sentences with facts from the answers.

``{torch:gelu}`` is replaced by the answer ``differences::torch::gelu``, and
``{torch:count.state/bert-base-uncased}`` by one of several facts. If an answer changes, so does the
sentence; a reader must check whether it still describes a pitfall.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Sequence

from paramproof.differences.answer import Answer

KERAS = ("keras-jax", "keras-tensorflow", "keras-torch")
FLAX = ("flax-linen", "flax-nnx")
GROUPS = {
    "keras": KERAS,
    "flax": FLAX,
    "same-epsilon": ("equinox", "mlx", "paddle", "torch"),
    "dropping": ("equinox", "torch"),
    "out-in": ("equinox", "mlx", "torch", "transformers"),
    "in-out": (*KERAS, *FLAX, "keras-bert", "paddle"),
    "others": (*KERAS, *FLAX, "keras-bert", "mlx", "paddle", "transformers"),
    "biased": (*KERAS, *FLAX, "keras-bert", "paddle", "torch", "transformers"),
    "unbiased": ("equinox", "mlx"),
    "narrow": (*KERAS, "equinox"),
    "wide": (*FLAX, "keras-bert", "mlx", "paddle", "torch", "transformers"),
    "plain-stack": ("paddle", "torch"),
    "split": (*KERAS, "flax-linen"),
}
"""Names in a sentence for several frameworks, which must agree."""

PITFALLS = (
    "**Epsilon.** A layer norm adds {same-epsilon:layer_norm_eps} to the variance in PyTorch, MLX, "
    "Paddle and Equinox, {transformers:layer_norm_eps} in Hugging Face's BERT, "
    "{keras:layer_norm_eps} in Keras, {flax:layer_norm_eps} in Flax and "
    "{keras-bert:layer_norm_eps} in keras-bert.",
    "**Gelu.** Asked for gelu, PyTorch gives {torch:gelu}, Keras {keras:gelu}, but `keras.ops` "
    "{keras:gelu.ops}, Flax {flax:gelu} and keras-bert {keras-bert:gelu}; not asked, PyTorch's "
    "encoder layer has {torch:activation}.",
    "**Masks.** True in a mask means {torch:mask.true} in PyTorch's attention, and "
    "{others:mask.true} everywhere else; where all keys are masked, the answer is "
    "{torch:mask.nothing} in PyTorch and {transformers:mask.nothing} in Hugging Face's BERT.",
    "**Batch.** PyTorch's attention has the batch on the {torch:attention.batch_axis} axis "
    "unless `batch_first` is set; all others have it on the {others:attention.batch_axis}, but for "
    "Equinox, whose attention takes one sequence.",
    "**Kernels.** A dense kernel is {out-in:dense.kernel} in PyTorch, MLX, Equinox and "
    "Hugging Face and {in-out:dense.kernel} elsewhere; where it is square, no shape tells.",
    "**Heads.** Queries, keys and values are one matrix "
    "{torch:layers.*.attention.query.kernel/shape} in PyTorch, and three of "
    "{split:layers.*.attention.query.kernel/shape} in Keras and linen. Do these have biases by "
    "default? In MLX and Equinox {unbiased:attention.bias}, everywhere else "
    "{biased:attention.bias}.",
    "**Stacks.** Beyond its layers, `nn.TransformerEncoder` has {mlx:stack} in MLX and "
    "{plain-stack:stack} in PyTorch and Paddle.",
    "**Width.** Keras's `key_dim` and Equinox's `qk_size` are the width of "
    "{narrow:attention.width} where the others ask for that of {wide:attention.width}; of 7 "
    "features in 2 heads, which all others refuse, Keras {keras:attention.heads} parameters, and "
    "Equinox {equinox:attention.heads}.",
    "**Ties.** PyTorch's `state_dict()` lists a tied matrix twice: "
    "{torch:count.state/bert-base-uncased} numbers for bert-base-uncased with its heads, where "
    "`parameters()` has {torch:count.total/bert-base-uncased}. So does an Equinox module that "
    "`eqx.nn.Shared` has put together: {equinox:count.tied_each/bert-base-uncased}.",
    "**Dropout.** Just made and called, it {dropping:dropout.unasked} in PyTorch and Equinox, "
    "{flax-nnx:dropout.unasked} in nnx, {keras:dropout.unasked} in Keras and "
    "{flax-linen:dropout.unasked} in linen; each one adds "
    "{keras:count.dropout/bert-base-uncased} numbers to Keras's `variables` and "
    "{flax-nnx:count.dropout/bert-base-uncased} to nnx's state.",
    "**keras-bert.** On today's tf-keras the kernel of a layer's keys starts with "
    "{keras-bert:initialiser.key} as that of its queries; and there is no mask to give, token 0 "
    "is {keras-bert:padding_token}.",
)

MAIN = {"defaults": "answer", "counts": "difference"}


class _Facts:
    """The cells of frameworks that agree, with ``ROW`` or ``ROW/FACT`` as format."""

    def __init__(self, frameworks: Sequence[str], cells: Sequence[Answer]) -> None:
        self.frameworks = frameworks
        self.cells = cells

    def __format__(self, spec: str) -> str:
        row, _, fact = spec.partition("/")
        found = [c for c in self.cells if c.framework in self.frameworks and c.row == row]
        said = {cell.facts[fact or MAIN[cell.section]] for cell in found}
        if len(found) != len(self.frameworks) or len(said) != 1:
            raise ValueError(f"{', '.join(self.frameworks)} do not say one thing of {spec}: {said}")
        return said.pop()


def pitfalls(cells: Sequence[Answer]) -> Iterator[str]:
    """Yield each sentence with the rows that support it.

    Raises ``ValueError`` if frameworks that a sentence groups do not agree.
    """
    every = tuple(dict.fromkeys(cell.framework for cell in cells))
    groups = {name: (name,) for name in every} | GROUPS
    facts = {name: _Facts(frameworks, cells) for name, frameworks in groups.items()}
    for pitfall in PITFALLS:
        parsed = string.Formatter().parse(pitfall)
        rows = dict.fromkeys((spec or "").partition("/")[0] for _, name, spec, _ in parsed if name)
        yield f"{pitfall.format_map(facts)} ({', '.join(f'`{row}`' for row in rows)})"
