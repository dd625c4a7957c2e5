"""The values other than an entry's own that a configuration may have for a field.

A backbone's stages may be chosen by name or by number. transformers refuses a choice of other
stages, or one in another order. A choice of its own changes no tensor if an entry lists the stages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from paramproof.catalogue.configuration import GivenKeys
from paramproof.catalogue.files import TypeFile
from paramproof.catalogue.names import irrelevant_keys
from paramproof.catalogue.value_kinds import (
    ALIKE,
    FACTORS,
    LONGROPE,
    ROTARY_BASES,
    ROTARY_FACTOR,
    TEXT,
    default_layers,
    equal,
    is_numbers,
    kind_of,
    rope_objects,
    sort_of,
)
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal
from paramproof.formulas.notation import expression_in
from paramproof.formulas.path import leaf, parent
from paramproof.formulas.printing import legible, shown

ABSENT = object()
"""Stands for the value of a selecting field that has no value by default."""

IRRELEVANT_PRIVATE = irrelevant_keys("private")
"""Private attributes that occur in files and do not affect tensors.

Most are of transformers' configurations. ``_vocab_size`` is of older ones, such as PaliGemma's, as
``_block_types`` is of RecurrentGemma's and ``_flash_attn_2_enabled`` of SmolVLM's.

Any other private attribute may be what a property is computed from, as Mimi's ``_frame_rate`` is.
"""

READ_IN_ALL_TYPES = frozenset(
    {"attribute_map", "layer_types", "mtp_layer_types", "rope_parameters", "rope_scaling"}
)
"""Keys that transformers reads for every type, and may refuse if the type has no such field."""

INTERCHANGEABLE = ("share", "number", "negative", "activation")
"""Sorts of which a selecting field may have another value than its default."""

HEAD_WIDTH = "head_dim"
"""A key that transformers validates in any type: it must be even, as halves of a head rotate."""

WHOLE_HEAD = 1.0
"""The share of a head that is rotated if nothing says it."""

STRETCHED_SORTS = ("rope_dynamic", "rope_yarn", LONGROPE)
"""Sorts of rotary parameters that do not fit every width of a head."""

MIN_STRETCHED_WIDTH = 2
"""The head width up to which positions cannot be stretched dynamically, since transformers would
divide by 0."""


def require_accepted(
    given: GivenKeys,
    decides: Mapping[str, Any],
    needed: Mapping[str, Any],
    only: Mapping[str, Any],
    computed: Mapping[str, str],
    letters: Mapping[str, int],
    counted: Collection[str] = (),
) -> None:
    """Raise ``NotInCatalogue`` for the first key whose value the entry does not accept.

    ``decides`` has the required value of each selecting field. Those in ``needed``, without which
    no model can be built, may have other values of the same sort, or of one that was tried.
    ``only`` has, for some fields, the sorts of values that this class accepts. ``computed`` has the
    fields that must equal a formula of ``letters``. The keys in ``counted`` are not checked: the
    letters say everything about these lists, and about the keys that determine them.
    """
    for path, value in given.values.items():
        if path in counted:
            continue
        if path in computed:
            _require_computed(given, path, value, computed[path], letters)
        elif path in decides:
            rule = given.file.layers.get(path)
            layers = rule and isinstance(value, list) and _is_layer_list(rule, value, letters)
            tried = path in needed and has_accepted_sort(given, path, needed[path])
            tried = tried and (
                sort_of(value) == sort_of(needed[path])
                or _is_accepted(given, path, value, None, letters)
            )
            if not (is_expected(given, path, value, decides[path]) or layers or tried):
                due = decides[path]
                remedy = ": leave it out" if due is ABSENT else f", only {shown(due)}"
                problem = f"{legible(path)}={shown(value)} is not supported{remedy}"
                raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
        elif not (
            _is_size(given, path, value, letters)
            or _is_accepted(given, path, value, only.get(path), letters)
        ):
            raise _not_tried(given, path, value)


def _is_size(given: GivenKeys, path: str, value: Any, letters: Mapping[str, int]) -> bool:
    """Return whether a field is a size of this variant, or has a size that only others have."""
    letter = given.letter_of.get(path)
    return letter in letters or (letter is not None and (value is None or type(value) is int))


def _not_tried(given: GivenKeys, path: str, value: Any) -> NotInCatalogue:
    return given.unsupported(
        f"{legible(path)}={shown(value)} is not supported", path, Refusal.NOT_TRIED
    )


def _require_computed(
    given: GivenKeys, path: str, value: Any, text: str, letters: Mapping[str, int]
) -> None:
    """Raise ``NotInCatalogue`` for a size that differs from what the other sizes imply.

    Transformers would use the given value, but the entry holds for the computed one. The class may
    replace a value of its own by the computed size, as ERNIE replaces −1. Then a file may have that
    value too.
    """
    if path in given.file.fields and equal(value, given.file.fields[path]):
        return
    formula = expression_in(text) if text else None
    if formula is None or not formula.letters <= letters.keys():
        raise _not_tried(given, path, value)
    if not equal(value, due := formula.evaluate(letters)):
        raise given.unsupported(
            f"{legible(path)}={shown(value)}, but its sizes make it {due}", path
        )


def is_expected(given: GivenKeys, path: str, value: Any, due: Any) -> bool:
    """Return whether a value is as good as the expected one.

    It equals it, or is null where null means absent. If the field is expected to be absent, it may
    be a flag that was tried and changed no tensor. If the default is expected, it may be another
    float, activation or negative number of the default's sort, if all of that sort that were tried
    created the same tensors. Wav2vec 2.0 has a mask at any ``mask_time_prob`` above 0, for example.
    """
    if equal(value, due):
        return True
    sorts = given.file.free.get(path, ())
    if due is ABSENT:
        is_null = value is None and "null" in sorts
        return is_null or any(equal(value, one) for one in given.file.texts.get(path, ()))
    sort = sort_of(value)
    if sort not in sorts or not equal(due, given.file.fields.get(path, ABSENT)):
        return False
    return sort in INTERCHANGEABLE and sort == sort_of(due)


def has_accepted_sort(given: GivenKeys, path: str, due: object) -> bool:
    """Return whether no tensor depends on a field that a configuration gives, or leaves out.

    Its value is of the same sort as ``due``, or of one that was tried.
    """
    sorts = given.file.free.get(path)
    if sorts is None or path not in given.values:
        return sorts is not None
    value = given.values[path]
    return value is not None and sort_of(value) in (*sorts, sort_of(due))


def _is_accepted(
    given: GivenKeys, path: str, value: Any, only: list[str] | None, sizes: Mapping[str, int]
) -> bool:
    file = given.file
    if leaf(path) == HEAD_WIDTH and not _may_be_head_width(value):
        return False
    is_unread = kind_of(value) in file.unread.get(path, ())
    if is_unread or (path in file.fields and equal(value, file.fields[path])):
        return True
    if path in file.layers and value is not None:
        return _is_layer_list(file.layers[path], value, sizes)
    sort = sort_of(value)
    if only is not None and sort not in only:
        return False
    if path in file.below and sort == "whole":
        return all(value < sizes[letter] for letter in file.below[path] if letter in sizes)
    if not any(path in known for known in (file.free, file.texts, file.below)):
        return _is_ignored(file, path, value)
    if sort.startswith("rope_") and not _fits_rotation(given, path, value, sizes):
        return False
    if leaf(path) in ROTARY_BASES and not (isinstance(value, int | float) and value > 1):
        return False
    return _was_tried(file, path, value)


def _was_tried(file: TypeFile, path: str, value: Any) -> bool:
    """Return whether values like this one were tried for a field, and changed no tensor."""
    known, sort = file.free.get(path, ()), sort_of(value)
    if TEXT in known and isinstance(value, str):
        return True
    if ALIKE in known and is_numbers(value) and len(value) == len(file.fields[path]):
        return True
    if leaf(path) == ROTARY_FACTOR and equal(value, WHOLE_HEAD) and "share" in known:
        return True
    # 0.0 equals an int that was tried, and is a float like others that were.
    is_zero = sort == "nothing" and {"zero", "share"} <= set(known)
    return is_zero or sort in known or value in file.texts.get(path, ())


def _may_be_head_width(value: object) -> bool:
    """Return whether any model takes this width of a head, even if no tensor depends on it."""
    return value is None or (type(value) is int and value >= 0 and value % 2 == 0)


def _fits_rotation(given: GivenKeys, path: str, value: Any, sizes: Mapping[str, int]) -> bool:
    """Return whether the share of a head in rotary parameters fits the sizes."""
    file, before = given.file, parent(path)
    key = f"{before}.{ROTARY_FACTOR}" if before else ROTARY_FACTOR
    own = given.values.get(key, file.fields.get(key))
    allowed = file.free.get(key, ())

    def fits(one: Mapping[str, Any]) -> bool:
        """Return whether the parameters of one kind of layers fit."""
        share = own if one.get(ROTARY_FACTOR) is None else one[ROTARY_FACTOR]
        widths = rotated_widths(file, path, share, sizes)
        if sort_of(one) in STRETCHED_SORTS and not _fits_stretching(one, widths):
            return False
        # The buffers of another share are not counted where they depend on the parameters.
        is_whole = path in file.buffered and equal(share, WHOLE_HEAD)
        is_own = share is own or equal(share, WHOLE_HEAD if own is None else own)
        return is_own or is_whole or sort_of(share) in allowed

    return all(map(fits, rope_objects(value)))


def _is_ignored(file: TypeFile, path: str, value: Any) -> bool:
    """Return whether transformers ignores a key that the entry does not mention."""
    name = leaf(path)
    if name in READ_IN_ALL_TYPES and value is not None:
        return False
    if name.startswith("_") and name not in IRRELEVANT_PRIVATE:
        return False
    known = (
        file.letter_of,
        file.refused,
        file.fields,
        file.layers,
        file.filled,
        file.unread,
    )
    return not any(path in one for one in known)


def _fits_stretching(value: Mapping[str, Any], widths: list[int]) -> bool:
    """Return whether rotary parameters fit the widths that ``rotated_widths`` returns.

    Longrope has a number for each pair of positions, whichever width a class takes. YaRN mixes the
    two halves of a width. Any width is taken to fit the other ways if it is unknown.
    """
    sort = sort_of(value)
    if sort == LONGROPE:
        lists = [value[name] for name in FACTORS]
        return widths != [] and all(
            is_numbers(one) and 2 * len(one) == width for one in lists for width in widths
        )
    if not widths:
        return True
    return widths[0] % 2 == 0 if sort == "rope_yarn" else widths[0] > MIN_STRETCHED_WIDTH


def rotated_widths(file: TypeFile, path: str, share: object, sizes: Mapping[str, int]) -> list[int]:
    """Return how many positions of a head are rotated, by each size that may give its width.

    ``path`` is that of the rotary parameters, and ``share`` the share of a head that is rotated. A
    class takes the first of these widths, but may check the parameters by the last.
    """
    before = f"{parent(path)}." if parent(path) else ""
    names = ("qk_rope_head_dim", "head_dim", "hidden_size", "num_attention_heads")
    letters = (file.letter_of.get(f"{before}{one}", "") for one in names)
    rope, width, hidden, heads = map(sizes.get, letters)
    if rope:
        return [rope]
    widths = [one for one in (width, hidden and heads and hidden // heads) if one]
    return [int(one * share) if isinstance(share, int | float) else one for one in widths]


def _is_layer_list(rule: Mapping[str, Any], value: object, sizes: Mapping[str, int]) -> bool:
    """Return whether a list has a name for each layer, or the ``only`` one, of the last stage."""
    long = expression_in(rule["long"]).evaluate(sizes)
    if "only" in rule:
        return value == [f"{rule['only']}{long}"]
    if not isinstance(value, list) or len(value) != long:
        return False
    if "repeats" in rule:
        return equal(value, default_layers(rule, long))
    return all(isinstance(one, str) and one in rule["any of"] for one in value)


FEATURES = "out_features"
INDICES = "out_indices"


def stage_names(number: int) -> list[str]:
    """Return the names of a backbone's stem and its ``number`` of stages."""
    return ["stem", *(f"stage{i}" for i in range(1, number + 1))]


def chosen_stages(given: GivenKeys, sizes: Mapping[str, int]) -> set[str]:
    """Return the keys that choose stages. Raises ``InvalidInput`` for an impossible choice."""
    found: set[str] = set()
    for part, number in given.file.stages.items():
        names = stage_names(expression_in(number).evaluate(sizes))
        before = f"{part}." if part else ""
        by_name, by_number = f"{before}{FEATURES}", f"{before}{INDICES}"
        features, indices = given.values.get(by_name), given.values.get(by_number)
        if features is indices is None:
            # A backbone may lack stages that it has by default.
            features, indices = (
                given.default(path, given.file.fields.get(path)) for path in (by_name, by_number)
            )
        if features is not None and _positions(features, names) is None:
            raise _impossible(by_name, features, names)
        if indices is not None and (chosen := _positions(indices, [*range(len(names))])) is None:
            raise _impossible(by_number, indices, [0, len(names) - 1])
        is_both = features is not None and indices is not None
        if is_both and not equal(_positions(features, names), chosen):
            problem = f"{by_name}={shown(features)} and {by_number}={shown(indices)} differ"
            raise InvalidInput(f"{problem}: give one of them", key=by_number)
        found |= {by_name, by_number}
    return found


def _positions(value: object, stages: Sequence[Any]) -> list[int] | None:
    """Return the positions of the chosen stages, or None if they are not in order.

    A negative number counts from the last stage.
    """
    if not isinstance(value, list):
        return None
    number = len(stages)
    plain = [one + number if type(one) is int and -number <= one < 0 else one for one in value]
    kind = type(stages[0])
    if not all(type(one) is kind and one in stages for one in plain):
        return None
    positions = [stages.index(one) for one in plain]
    return positions if positions == sorted(set(positions)) else None


def _impossible(path: str, value: object, stages: Sequence[Any]) -> InvalidInput:
    ends = f"{stages[0]} … {stages[-1]}"
    return InvalidInput(
        f"{legible(path)}={shown(value)} is not possible: it must be a list of stages from {ends}, "
        "in this order",
        key=path,
    )
