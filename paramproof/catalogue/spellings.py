"""Values that a file may write in another way than the entry has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paramproof.catalogue.value_kinds import equal

if TYPE_CHECKING:
    from paramproof.catalogue.configuration import GivenKeys


def unify_spellings(given: GivenKeys) -> None:
    """Replace the values that a file writes in another way by those that they mean."""
    _split_texts(given)
    _merge_repeated_sizes(given)
    _merge_pairs(given)


def _split_texts(given: GivenKeys) -> None:
    """Replace each text that the configuration class splits into a list by that list, in order.

    DeBERTa's ``pos_att_type`` is ``"p2c|c2p"`` in a file, and a list of two texts in its class,
    which only asks what is in it.
    """
    for path, separator in given.file.joined.items():
        value = given.values.get(path)
        texts = value.split(separator) if isinstance(value, str) else value
        if isinstance(texts, list) and all(isinstance(one, str) for one in texts):
            given.values[path] = sorted(texts)


def _merge_repeated_sizes(given: GivenKeys) -> None:
    """Replace each list that repeats one size for every layer by this size.

    Longformer's ``attention_window`` is a size, or a list with a size for each layer. A list of
    another length, or with different sizes, is left: it is refused as a size.
    """
    for path, depth in given.file.repeated.items():
        value, size = given.values.get(path), given.file.letters[depth]
        long = given.values.get(size.path, size.default)
        is_one = isinstance(value, list) and all(equal(one, value[0]) for one in value)
        if is_one and value and str(len(value)) == str(long):
            given.values[path] = value[0]


ANY_PAIR = "any"
"""The kind of a pair in place of a size on which no tensor depends: its two sides may differ."""


TWICE = "twice"
"""The kind of a pair of sizes in place of which a file may have one size, for both."""


def _merge_pairs(given: GivenKeys) -> None:
    """Replace a height and a width by one size, or one size by a height and a width.

    ViT's ``image_size`` may be ``[224, 224]``. No tensor of Donut's encoder depends on it, and its
    two sides differ. PVT's has two sizes, and a file may have one.
    """
    for path, which in given.file.pairs.items():
        value = given.values.get(path)
        if which == TWICE and type(value) is int:
            del given.values[path]
            given.values |= {f"{path}[{i}]": value for i in range(2)}
        elif isinstance(value, list) and len(value) == 2:
            high, wide = value
            if equal(high, wide) or (which == ANY_PAIR and type(high) is type(wide) is int):
                given.values[path] = min(value)
