"""Tables of constants, indexed by a layer's number."""

import operator

from tests.foolers.entries import each, fooler, linears

EARLY = [True] * 150 + [False] * 50
FLAGS = (True,) * 120 + (False,) * 80
LETTERS = "y" * 100 + "n" * 100
BY_BYTE = bytes(1 if i < 200 else 0 for i in range(256))


@fooler("guard", n=151)
def list_by_layer(dim=16, n=3):
    return each(dim, n, lambda i: EARLY[i])


@fooler("guard", n=121)
def tuple_by_layer(dim=16, n=3):
    return each(dim, n, FLAGS.__getitem__)


@fooler("guard", n=101)
def text_by_layer(dim=16, n=3):
    return each(dim, n, lambda i: LETTERS[i] == "y")


@fooler("guard", n=201)
def bytes_by_layer(dim=16, n=3):
    return each(dim, n, lambda i: bool(BY_BYTE[i]))


@fooler("caveat", n=151)
def item_by_layer(dim=16, n=3):
    return each(dim, n, lambda i: operator.itemgetter(i)(EARLY))


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
def steps(dim=64, n=3):
    return linears(dim, n, len((EARLY * 25)[::dim]) > 1)


@fooler("caveat", dim=5000)
def past_the_end_of_a_list(dim=64, n=3):
    try:
        (EARLY * 25)[dim]
    except IndexError:
        return linears(dim, n, False)
    return linears(dim, n, True)
