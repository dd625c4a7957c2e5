"""Sizes that become text, and text that determines branches."""

import json
import struct
from array import array

from tests.foolers.entries import fooler, linears


@fooler("caveat", dim=10_000)
def digits(dim=64, n=3):
    return linears(dim, n, len(str(dim)) < 5)


@fooler("caveat", dim=4096)
def hexadecimal(dim=64, n=3):
    return linears(dim, n, len(hex(dim)) < 6)


@fooler("caveat", dim=4096)
def binary(dim=64, n=3):
    return linears(dim, n, len(bin(dim)) < 15)


@fooler("caveat", dim=4096)
def octal(dim=64, n=3):
    return linears(dim, n, len(oct(dim)) < 7)


@fooler("caveat", dim=10_000)
def padded(dim=64, n=3):
    return linears(dim, n, f"{dim:05d}"[0] == "0")


@fooler("caveat", dim=1_000_000)
def thousands(dim=64, n=3):
    return linears(dim, n, f"{dim:,}".count(",") < 2)


@fooler("caveat", dim=10_000)
def scientific(dim=64, n=3):
    return linears(dim, n, f"{dim:e}"[-1] < "4")


@fooler("caveat", dim=100_000)
def percent(dim=64, n=3):
    return linears(dim, n, len("%d" % dim) < 6)  # noqa: UP031


@fooler("caveat", dim=10_000)
def percent_with_a_width(dim=64, n=3):
    return linears(dim, n, ("%5d" % dim).startswith(" "))  # noqa: UP031


@fooler("caveat", dim=1000)
def formatted(dim=64, n=3):
    return linears(dim, n, "{:>4}".format(dim)[0] == " ")  # noqa: UP032


@fooler("caveat", dim=10_000)
def format_function(dim=64, n=3):
    return linears(dim, n, format(dim, "6d").startswith("  "))


@fooler("caveat", dim=10_000)
def joined(dim=64, n=3):
    return linears(dim, n, len("x".join([str(dim), str(dim)])) < 11)


@fooler("caveat", dim=100_000)
def filled_with_zeros(dim=64, n=3):
    return linears(dim, n, str(dim).zfill(6).startswith("0"))


@fooler("caveat", dim=1000)
def tail_is_digits(dim=64, n=3):
    return linears(dim, n, not str(dim)[3:].isdigit())


@fooler("caveat", dim=4000)
def there_and_back(dim=64, n=3):
    return linears(dim, n, int(str(dim)) < 4000)


@fooler("caveat", dim=4000)
def through_json_text(dim=64, n=3):
    return linears(dim, n, json.loads(json.dumps({"dim": dim}))["dim"] < 4000)


@fooler("caveat", dim=65_536)
def packed(dim=64, n=3):
    return linears(dim, n, struct.pack(">I", dim)[1] == 0)


@fooler("caveat", dim=4000)
def as_bytes(dim=64, n=3):
    return linears(dim, n, len(bytes(dim)) < 4000)


@fooler("caveat", dim=4000)
def as_a_bytearray(dim=64, n=3):
    return linears(dim, n, len(bytearray(dim)) < 4000)


@fooler("caveat", dim=4000)
def in_an_array(dim=64, n=3):
    return linears(dim, n, array("q", [dim])[0] < 4000)


@fooler("caveat", dim=4000)
def repeated_text(dim=64, n=3):
    return linears(dim, n, len("x" * dim) < 4000)


@fooler("caveat", dim=30_000)
def joined_list(dim=64, n=3):
    return linears(dim, n, len("".join(["x"] * dim)) < 30_000)


@fooler("caveat", dim=30_000)
def joined_generator(dim=64, n=3):
    return linears(dim, n, len("".join("x" for _ in range(dim))) < 30_000)


@fooler("caveat", dim=30_000)
def joined_map(dim=64, n=3):
    return linears(dim, n, len("".join(map(str, [7] * dim))) < 30_000)


@fooler("caveat", dim=30_000)
def text_of_a_list(dim=64, n=3):
    return linears(dim, n, len(str([1] * dim)) < 90_000)


@fooler("caveat", dim=30_000)
def formatted_list(dim=64, n=3):
    return linears(dim, n, len(f"{[1] * dim}") < 90_000)


@fooler("caveat", dim=30_000)
def percent_of_a_list(dim=64, n=3):
    return linears(dim, n, len("%s" % ([1] * dim,)) < 90_000)  # noqa: UP031


@fooler("caveat", dim=30_000)
def list_as_json(dim=64, n=3):
    return linears(dim, n, len(json.dumps([1] * dim)) < 90_000)


@fooler("caveat", dim=30_000)
def split_text(dim=64, n=3):
    return linears(dim, n, len("-".join(["x"] * dim).split("-")) < 30_000)


@fooler("caveat", dim=30_000)
def counted_in_text(dim=64, n=3):
    return linears(dim, n, "".join(["x"] * dim).count("x") < 30_000)


@fooler("caveat", dim=30_000)
def starred_set(dim=64, n=3):
    return linears(dim, n, len({*range(dim)}) < 30_000)


@fooler("caveat", dim=10_000)
def list_of_digits(dim=64, n=3):
    return linears(dim, n, len([*str(dim)]) < 5)


@fooler("caveat", dim=4000)
def as_a_width(dim=64, n=3):
    return linears(dim, n, len(f"{'':{dim}}") < 4000)


@fooler("caveat", dim=4000)
def justified(dim=64, n=3):
    return linears(dim, n, len("".rjust(dim)) < 4000)


@fooler("caveat", dim=4000)
def character(dim=64, n=3):
    return linears(dim, n, chr(dim) < chr(4000))
