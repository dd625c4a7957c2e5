"""Sizes that leave the program, or depend on its environment."""

import datetime
import os
import random
import sys
import tempfile
import time

from tests.foolers.entries import fooler, linears, widths

os.environ.setdefault("PARAMPROOF_FOOLER_LIMIT", "4000")


@fooler("caveat", dim=4000)
def written_to_the_environment(dim=64, n=3):
    os.environ["PARAMPROOF_FOOLER_DIM"] = str(dim)
    try:
        return linears(dim, n, int(os.environ["PARAMPROOF_FOOLER_DIM"]) < 4000)
    finally:
        del os.environ["PARAMPROOF_FOOLER_DIM"]


@fooler("caveat", dim=4000)
def place_in_a_file(dim=64, n=3):
    with tempfile.TemporaryFile() as file:
        file.seek(dim)
        return linears(dim, n, file.tell() < 4000)


@fooler("caveat", dim=4000)
def length_of_a_file(dim=64, n=3):
    with tempfile.TemporaryFile() as file:
        file.truncate(dim)
        return linears(dim, n, os.fstat(file.fileno()).st_size < 4000)


@fooler("caveat", dim=5000)
def too_deep_a_recursion(dim=64, n=3):
    try:
        _down(dim)
    except RecursionError:
        return linears(dim, n, False)
    return linears(dim, n, True)


def _down(size):
    return size if size <= 0 else _down(size - 1)


widths(
    "guard",
    limit_of_the_environment=(4000, lambda dim: dim < int(os.environ["PARAMPROOF_FOOLER_LIMIT"])),
)
widths(
    "caveat",
    # The same size gives the same number, since it is the seed.
    random_numbers=(4001, lambda dim: random.Random(dim).random() != random.Random(4001).random()),
    hours=(3600, lambda dim: time.gmtime(dim).tm_hour < 1),
    seconds=(4000, lambda dim: datetime.timedelta(seconds=dim).total_seconds() < 4000),
    days=(86_400, lambda dim: datetime.timedelta(seconds=dim) < datetime.timedelta(days=1)),
    dates=(4000, lambda dim: datetime.date.fromordinal(dim) < datetime.date.fromordinal(4000)),
    bytes_in_memory=(4000, lambda dim: sys.getsizeof(b"x" * dim) < sys.getsizeof(b"x" * 4000)),
    bytes_of_an_int=(2**30, lambda dim: sys.getsizeof(int(dim)) <= sys.getsizeof(1)),
)
