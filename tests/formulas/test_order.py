"""Orders of names are merged."""

import pytest

from paramproof.formulas.path import merged


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ([], ""),
        (["abc"], "abc"),
        (["abc", "abc"], "abc"),
        (["ac", "abc"], "abc"),
        (["bc", "abx"], "abxc"),
        (["ab", "cb", "xc"], "xcab"),
        # Earlier orders take precedence.
        (["ab", "ba"], "ab"),
        (["ab", "bac"], "acb"),
    ],
)
def test_each_name_follows_those_before_it(orders, expected):
    assert "".join(merged(orders)) == expected
