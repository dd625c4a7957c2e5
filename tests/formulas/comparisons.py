"""Weights as the formula lists them, and shortcuts for comparing changed ones."""

from paramproof.formulas import Weight, compare, inventory

WORDS = "embeddings.word_embeddings.weight"
DECODER = "mlm_head.decoder.weight"


def weights_of(spec):
    """Return the weights of a framework that stores every tensor as the formula lists it."""
    return [
        Weight(tensor.path, tensor.shape, tensor.trainable, (tensor.path,))
        for tensor in inventory(spec.letters()).expand()
        if tensor.tied_to is None
    ]


def comparison(spec, weights):
    return compare(inventory(spec.letters()), weights)


def only_row(spec, weights):
    (row,) = comparison(spec, weights).rows
    return row
