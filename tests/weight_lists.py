"""Builders that return lists of weights: those of the formula, changed on purpose.

They try the proofs without a framework.
"""

from paramproof.formulas import Weight, inventory


class Lists:
    def __init__(self, change=lambda weights, spec: weights, refuses=lambda spec: False):
        self.change = change
        self.refuses = refuses

    def supports(self, spec):
        return "refused" if self.refuses(spec) else True

    def build(self, spec):
        return Listed(self.change(listed(spec), spec))


class Listed:
    def __init__(self, weights):
        self._weights = weights

    def weights(self):
        return self._weights


def listed(spec):
    tensors = inventory(spec.letters()).expand()
    return [Weight(t.path, t.shape, t.trainable, (t.path,)) for t in tensors if t.tied_to is None]


def extra(path, *shape, trainable=True):
    return Weight(path, shape, trainable, ())


def added(weight_of):
    def change(weights, spec):
        weight = weight_of(spec)
        return [*weights, weight] if weight else weights

    return Lists(change)
