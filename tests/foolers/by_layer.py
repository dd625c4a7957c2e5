"""Tables of constants, indexed by a layer's number."""

import operator

from tests.foolers.entries import each, fooler, layers, linears, widths

EARLY = [True] * 150 + [False] * 50
FLAGS = (True,) * 120 + (False,) * 80
LETTERS = "y" * 100 + "n" * 100
BY_BYTE = bytes(1 if i < 200 else 0 for i in range(256))


@fooler("caveat", n=151)
def dict_by_layer(dim=16, n=3):
    table = dict(enumerate(EARLY))
    return each(dim, n, lambda i: table[i])


@fooler("guard", n=121)
def zipped_with_layers(dim=16, n=3):
    flags = [flag for flag, _ in zip(FLAGS, range(n), strict=False)]
    return each(dim, n, lambda i: flags[i])


@fooler("guard", n=151)
def slice_of_a_table(dim=16, n=3):
    flags = EARLY[:n]
    return linears(dim, n, all(flags))


@fooler("caveat", dim=5000)
def past_the_end_of_a_list(dim=64, n=3):
    try:
        (EARLY * 25)[dim]
    except IndexError:
        return linears(dim, n, False)
    return linears(dim, n, True)


widths(
    steps=("caveat", 5000, lambda dim: len((EARLY * 25)[::dim]) > 1),
)


layers(
    list_by_layer=("guard", 151, lambda i: EARLY[i]),
    tuple_by_layer=("guard", 121, FLAGS.__getitem__),
    text_by_layer=("guard", 101, lambda i: LETTERS[i] == "y"),
    bytes_by_layer=("guard", 201, lambda i: bool(BY_BYTE[i])),
    item_by_layer=("caveat", 151, lambda i: operator.itemgetter(i)(EARLY)),
)
