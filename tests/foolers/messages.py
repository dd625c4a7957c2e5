"""Text that libraries print, raise and log, parsed again."""

import contextlib
import io
import logging
import warnings
from string import digits as DIGITS  # noqa: N812

from torch import nn

from tests.foolers.entries import fooler, linears, widths


@fooler("caveat", dim=4000)
def printed_and_read(dim=64, n=3):
    buffer = io.StringIO()
    print(dim, file=buffer)
    return linears(dim, n, int(buffer.getvalue()) < 4000)


@fooler("caveat", dim=10_000)
def printed_to_standard_output(dim=64, n=3):
    with contextlib.redirect_stdout(io.StringIO()) as buffer:
        print(f"{dim}", end="")
    return linears(dim, n, len(buffer.getvalue()) < 5)


@fooler("caveat", dim=4000)
def raised_and_read(dim=64, n=3):
    try:
        raise ValueError(f"{dim}")
    except ValueError as error:
        return linears(dim, n, int(str(error)) < 4000)


@fooler("guard", dim=4000)
def raised_as_a_size(dim=64, n=3):
    try:
        raise KeyError(dim)
    except KeyError as error:
        return linears(dim, n, error.args[0] < 4000)


@fooler("caveat", dim=10_000)
def asserted_and_read(dim=64, n=3):
    try:
        assert not dim, f"{dim}"
    except AssertionError as error:
        return linears(dim, n, len(str(error)) < 5)


@fooler("caveat", dim=10_000)
def warned_and_read(dim=64, n=3):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn(f"{dim}", stacklevel=1)
    return linears(dim, n, len(str(caught[0].message)) < 5)


class _Listening(logging.Handler):
    def __init__(self):
        super().__init__()
        self.heard = []

    def emit(self, record):
        self.heard.append(record.getMessage())


@fooler("caveat", dim=10_000)
def logged_and_read(dim=64, n=3):
    logger, handler = logging.Logger("fooler"), _Listening()
    logger.addHandler(handler)
    logger.warning("%d wide", dim)
    return linears(dim, n, len(handler.heard[0]) < 10)


class _Described(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def extra_repr(self):
        return f"dim={self.dim}"


@fooler("caveat", dim=4000)
def read_from_lines(dim=64, n=3):
    file = io.StringIO(f"{dim}\n4000\n")
    wide, limit = (int(line) for line in file)
    return linears(dim, n, wide < limit)


widths(
    # A module's representation contains its width.
    shown_and_read=(
        "caveat",
        10_000,
        lambda dim: sum(one in DIGITS for one in repr(_Described(dim))) < 5,
    ),
    shown_by_torch=("caveat", 10_000, lambda dim: len(nn.Linear(dim, 1).extra_repr()) < 44),
)
