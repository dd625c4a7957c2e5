"""Arithmetic with sizes."""

import math

TABLE = [True] * 130 + [False] * 70


def is_wide(dim):
    return 0.5 * dim >= 2000


def narrow(dim):
    return len(str(int(dim))) < 5


def multiple(dim, ratio, of=8):
    """Round down to a multiple, but never by more than a tenth."""
    rounded = max(of, int(dim * ratio + of / 2) // of * of)
    return rounded + of if rounded < 0.9 * dim * ratio else rounded


def levels(dim):
    return math.floor(math.log2(dim))
