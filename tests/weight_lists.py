"""Builders that are lists of weights: the encoder as the formula has it, and what is done to it.

No framework is needed to try the proofs on them.
"""

from paramproof.formulas import Weight, inventory
from paramproof.proof.cases import plain


class Lists:
    """A builder whose weights are the inventory's tensors, changed by ``change(weights, spec)``."""

    def __init__(self, change=lambda weights, spec: weights, refuses=lambda spec: False):
        self.change = change
        self.refuses = refuses

    def supports(self, spec):
        return "refused" if self.refuses(spec) else True

    def build(self, spec):
        return Listed(self.change(listed(plain(spec)), spec))


class Listed:
    def __init__(self, weights):
        self._weights = weights

    def weights(self):
        return self._weights


def listed(spec):
    tensors = inventory(spec.letters()).expand()
    return [Weight(t.path, t.shape, t.trainable, (t.path,)) for t in tensors if t.tied_to is None]


def extra(path, *shape, trainable=True):
    """A weight without a canonical name."""
    return Weight(path, shape, trainable, ())


def added(weight_of):
    """A builder with one weight more, ``weight_of(spec)``, None for none."""

    def change(weights, spec):
        weight = weight_of(spec)
        return [*weights, weight] if weight else weights

    return Lists(change)
