"""The entry of a configuration: the derivation of its class, and the configuration's sizes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any

from paramproof.catalogue.accepts import (
    ABSENT,
    chosen_stages,
    has_accepted_sort,
    is_expected,
    require_accepted,
)
from paramproof.catalogue.configuration import GivenKeys, named_class, sizes_of
from paramproof.catalogue.derivations import (
    Head,
    Variant,
    announced_heads,
    computed_of,
    derivation_of,
    kept_variants,
    variants,
)
from paramproof.catalogue.files import TypeFile, model_types, read_file_for, type_of_class
from paramproof.catalogue.names import has_class, has_type, release
from paramproof.catalogue.unknown_keys import find_unknown_keys
from paramproof.catalogue.value_kinds import equal
from paramproof.catalogue.written_forms import (
    count_kinds,
    is_own_list,
    read_configuration,
    require_length,
)
from paramproof.formulas.condition import Outcome
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import InvalidInput, NotInCatalogue, Refusal
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.printing import legible, shown


@dataclass(frozen=True)
class Entry:
    """A class of a model type, with the sizes of a configuration.

    ``name`` is that of the catalogue's file. ``is_class_named`` is false if the configuration names
    no class, so that the type's usual class is used. ``assumed`` has the type's default for each
    size that the configuration does not give, by field. ``unknown`` has the keys that the
    configuration class does not have. ``variant`` is the index of the variant whose tensors these
    are. If the configuration or one of its parts has a model type that transformers does not have,
    ``read_as`` maps it to the type of the class that it names. ``heads`` are tied by the class
    although the configuration says otherwise.
    """

    derivation: Derivation
    sizes: Mapping[str, int]
    name: str
    is_class_named: bool = True
    assumed: Mapping[str, int] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    variant: int = 0
    heads: tuple[Head, ...] = ()
    read_as: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def count(self) -> int:
        """The trainable parameters of the model that transformers builds, tied weights once."""
        return self.derivation.count(self.sizes)

    @cached_property
    def loaded(self) -> int:
        """The trainable parameters of the model that transformers loads, tied weights counted once.

        This is ``count`` plus each of the ``heads``. They have values of their own if the
        checkpoint has weights for them, as the configuration says.
        """
        return self.derivation.untied(one.path for one in self.heads).count(self.sizes)


def entry(config: Mapping[str, Any], class_name: str = "") -> Entry:
    """Return the entry for the keys of a ``config.json``; this needs no framework.

    ``class_name`` overrides the class in ``architectures``. If neither names a class, the entry is
    that of ``usual_class``. Code beside the file, which ``auto_map`` names, is ignored: the entry
    describes transformers' own class.

    Raises ``InvalidInput``, with the key, for a wrong configuration, and ``NotInCatalogue`` for one
    that no entry covers.
    """
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        problem = f"model_type={shown(model_type)} is not a model type of transformers"
        raise InvalidInput(problem, key="model_type")
    other = type_named(config)
    file = read_file_for(other or model_type, config)
    found = entry_in(file, config, class_name)
    unknown = find_unknown_keys(file, config, found.derivation.formula.letters)
    if not other:
        return replace(found, unknown=unknown)
    # RWKV-5 names the class of RWKV-4, whose models do not have a ``head_size``.
    sizes = [key for key in unknown if type(config.get(key)) is int and config[key] > 1]
    if found.assumed or sizes:
        problem = f"there is no formula for the model type {shown(model_type)}, and {other}, the "
        problem += "type of the class in its architectures, "
        problem += "needs " if found.assumed else "does not have "
        problem += ", ".join(map(legible, [*found.assumed] or sizes))
        raise NotInCatalogue(problem, model_type=model_type, key="model_type")
    read_as = {model_type: other, **found.read_as}
    return replace(found, unknown=unknown, read_as=read_as)


def type_named(config: Mapping[str, Any]) -> str:
    """Return the model type of the class that a configuration names, or "" if it has a known type.

    Kimi K2's files have a ``model_type`` that transformers does not have, and name the class of
    DeepSeek-V3. They have its keys, and are read like its files.
    """
    model_type = str(config.get("model_type"))
    if has_type(model_type) or model_type in model_types():
        return ""
    return type_of_class(named_class(config)) or ""


def entry_in(file: TypeFile, config: Mapping[str, Any], class_name: str = "") -> Entry:
    """Return the entry of a configuration from its type's file. Raises the errors of ``entry``."""
    named = class_name or named_class(config)
    name = _find_class(file, named) if named else usual_class(file)
    given = read_configuration(file, config)
    found: Entry | None
    try:
        found = _entry(file, given, name)
    except NotInCatalogue as error:
        is_beyond = error.refusal is Refusal.CONDITIONS or _lacks_lists(file, given, name)
        found = _entry_with_kind_counts(file, given, name) if is_beyond else None
        if found is None:
            raise
    return replace(found, is_class_named=bool(named))


def _entry_with_kind_counts(file: TypeFile, given: GivenKeys, name: str) -> Entry | None:
    """Return the entry that counts layer kinds in the type's own lists too, or None.

    The formula for the type's own lists may cover fewer sizes, and a variant that counts the kinds
    in one list may count them in another one too.
    """
    own = count_kinds(given, is_own=True)
    given.counted |= own
    try:
        return _entry(file, given, name) if own else None
    except NotInCatalogue:
        return None


def _lacks_lists(file: TypeFile, given: GivenKeys, name: str) -> bool:
    """Return whether only variants that count the kinds in more lists cover a configuration."""
    lists = [variant.lists for variant in kept_variants(file, name)]
    return given.counted not in lists and any(given.counted < one for one in lists)


def _entry(file: TypeFile, given: GivenKeys, name: str) -> Entry:
    """Return the entry of a class: of the first fitting variant whose formula covers the sizes.

    ELECTRA has two variants that differ in nothing but the condition that two widths are equal.
    """
    decides = {
        path: given.default(path, file.fields.get(path, ABSENT))
        for path in file.classes[name].get("decides", ())
        if path not in file.computed
    }
    errors: list[NotInCatalogue] = []
    for one in _fitting_variants(file, given, name, decides):
        try:
            return _entry_of_variant(file, given, *one)
        except NotInCatalogue as error:
            errors.append(error)
            if errors[0].refusal not in (Refusal.CONDITIONS, Refusal.CONSTRUCTOR):
                break
    # What transformers refuses is worth more than the sizes that another formula covers.
    raise next((one for one in errors if one.refusal is Refusal.CONSTRUCTOR), errors[0])


def _entry_of_variant(
    file: TypeFile, given: GivenKeys, variant: Variant, values: dict[str, Any]
) -> Entry:
    """Return the entry of a variant that fits. Raises the errors of ``entry``."""
    name, absent = variant.name, variant.data.get("absent", ())
    try:
        inert = _derivation(file, name, variant.index).inert
        sizes = sizes_of(given, variant.sized, absent, _zero_letters(file, variant), inert)
    except KeyError as error:
        raise given.unsupported(f"a default depends on {error}, which is absent") from None
    needed = variants(file, name)[0].where
    only, computed = variant.data.get("only", {}), computed_of(file, variant)
    require_length(given, variant.lists, sizes)
    counted = {*variant.lists, *variant.data.get("idle", ()), *chosen_stages(given, sizes)}
    require_accepted(given, values, needed, only, computed, sizes, counted)
    derivation = _derivation(file, name, variant.index)
    derivation = _without_bounds(derivation, set(_default_bounds(file, given)))
    _require(given, derivation, sizes)
    assumed = assumed_sizes(given, derivation, sizes)
    for path, kind in given.renamed.items():
        if lacking := [one for one in assumed if one.startswith(f"{path}.")]:
            problem = f"{path}.model_type={shown(kind)} is not supported, and {file.parts[path]}, "
            problem += f"the type of the class in its architectures, needs {', '.join(lacking)}"
            raise given.unsupported(problem, path, Refusal.OTHER_PART)
    return Entry(
        _without_changed_buffers(derivation, file, given),
        sizes,
        file.name,
        assumed=assumed,
        read_as={kind: file.parts[path] for path, kind in given.renamed.items()},
        variant=variant.index,
        heads=announced_heads(file.classes[name], given, derivation),
    )


def _require(given: GivenKeys, derivation: Derivation, sizes: Mapping[str, int]) -> None:
    """Raise ``NotInCatalogue`` for sizes at which the formula is not known to hold."""
    file = given.file
    try:
        derivation.require(sizes)
    except ValueError as error:
        reason, refusal = str(error), Refusal.CONDITIONS
    else:
        return
    stated, fields = derivation.violated(sizes), derivation.fields
    letters = sorted(stated.condition.letters) if stated else []
    key = next((fields[name] for name in letters if fields[name] in given.values), "")
    if stated and stated.consequence.outcome is Outcome.REFUSED:
        own = (f"{name} = {fields[name]} = {sizes[name]}" for name in letters)
        reason = (
            f"{derivation.name}: the formula holds where {stated.condition}; {file.library} "
            f"refuses other sizes ({', '.join(own)})"
        )
        refusal = Refusal.CONSTRUCTOR
    elif zero := next((name for name in derivation.sizes if sizes[name] < 1), None):
        size = file.letters[zero]
        reason += f" ({size.path} is absent, and {size.default} = {sizes[zero]} is filled in)"
    raise NotInCatalogue(reason, model_type=file.model_type, key=key, refusal=refusal)


def assumed_sizes(
    given: GivenKeys, derivation: Derivation, sizes: Mapping[str, int]
) -> Mapping[str, int]:
    """Return the sizes in the formula that come from constants of the type, by field."""
    moving = derivation.formula.letters
    used = {path: sizes[name] for name, path in derivation.fields.items() if name in moving}
    assumed: dict[str, int] = {}
    for size in given.file.letters.values():
        is_given = given.values.get(size.path) is not None or size.path in given.late
        if size.path in used and not is_given and size.default.isdecimal():
            assumed[size.path] = used[size.path]
    return assumed


def _default_bounds(file: TypeFile, given: GivenKeys) -> Iterator[Expression]:
    """Yield the bounds of guards that come only from defaults which the configuration overrides.

    The bound of ``V > 50279`` is V − 50280, as in ``Condition.bound``. Token ids must be below
    vocab_size; the given value was checked before.
    """
    for path, letters in file.below.items():
        default = given.default(path, file.fields.get(path))
        if type(default) is int and not equal(given.values.get(path, default), default):
            yield from (letter(name) - default - 1 for name in letters)


@lru_cache(maxsize=512)
def _derivation(file: TypeFile, name: str, index: int) -> Derivation:
    """Return the derivation of a variant of a class, with the type's own sizes."""
    variant = variants(file, name)[index]
    return derivation_of(file, variant, own_sizes(file, variant.data.get("absent", ())))


def _without_bounds(derivation: Derivation, bounds: Set[Expression]) -> Derivation:
    if not bounds:
        return derivation
    kept = (one for one in derivation.conditions if one.condition.bound not in bounds)
    return replace(derivation, conditions=tuple(kept))


def usual_class(file: TypeFile) -> str:
    """Return the class to assume for a configuration without ``architectures``.

    It is the model that generates: one with a decoder's head, or an encoder-decoder. A type that
    has a class for masked tokens is an encoder. Like a type without heads, it is read as its base
    model.
    """
    base, *others = file.classes
    if any(name.endswith("ForMaskedLM") for name in others):
        return base
    for ending in ("ForConditionalGeneration", "ForCausalLM", "LMHeadModel"):
        if found := [name for name in others if name.endswith(ending)]:
            return found[0]
    return base


def _find_class(file: TypeFile, name: str) -> str:
    """Return the class of an entry by its name, whatever its case and underscores.

    LLaMAForCausalLM is an older name of LlamaForCausalLM, and KimiK25Model is Kimi_K25Model.
    """
    known = {_without_spelling(one): one for one in file.classes}
    if (plain := _without_spelling(name)) in known:
        return known[plain]
    has = f"there are formulas for {', '.join(file.classes)}"
    if has_class(file.model_type, name):
        reason = f"{file.model_type}: there is no formula for the class {shown(name)}; {has}"
    else:
        number = file.versions.get(file.library) if file.library != "transformers" else release()
        of = f"the model type {file.model_type} of {file.library} {number}"
        reason = f"{of} does not have the class {shown(name)}; {has}"
    raise NotInCatalogue(reason, model_type=file.model_type, key="architectures")


def _without_spelling(name: str) -> str:
    return name.replace("_", "").casefold()


def _fitting_variants(
    file: TypeFile, given: GivenKeys, name: str, decides: Mapping[str, Any]
) -> list[tuple[Variant, dict[str, Any]]]:
    """Return the variants of a class that fit the configuration, with their selecting values.

    If none fits, return the first one. A later check then reports the difference.
    """
    first = variants(file, name)[0]
    own = {path: file.fields.get(path, ABSENT) for path in decides}
    free = {path for path, due in first.where.items() if has_accepted_sort(given, path, due)}
    usual = _list_lengths(file, first)
    alike = [
        (variant, values)
        for variant in kept_variants(file, name)
        if variant.lists <= given.counted <= variant.lists | variant.where.keys()
        and all(type(given.values.get(path)) is int for path in variant.sized)
        and not _other_lengths(file, given, variant, usual)
        and (values := _variant_values(given, variant, decides, own, free)) is not None
    ]
    if alike:
        return [one for one in alike if _has_sizes(file, given, one[0])] or alike[:1]
    for path, value in decides.items():
        # A part that is given may have a default other than the one used in the derivation.
        if path not in given.values and not equal(value, own[path]):
            raise given.unsupported(
                f"{path} is {shown(value)} where it is absent from a part", path
            )
    if first.data.get("withdrawn"):
        raise given.unsupported(f"the formula of {name} was withdrawn: models differ from it")
    for path, length in _other_lengths(file, given, first, usual).items():
        raise given.wrong_list(path, length, given.sized_lists[path])
    for path, value in first.where.items():
        if path not in given.values:
            problem = f"{path} is absent; it must be given, such as {shown(value)}"
            raise given.unsupported(problem, path, Refusal.OTHER_VALUE)
    return [(first, {**own, **first.where})]


def _variant_values(
    given: GivenKeys,
    variant: Variant,
    decides: Mapping[str, Any],
    own: Mapping[str, Any],
    free: Set[str],
) -> dict[str, Any] | None:
    """Return the selecting values of a variant, or None if the configuration differs."""
    # An absent field has the value that follows from the other fields.
    follows = variant.data.get("follows", {})
    besides = {*variant.sized, *variant.lists, *variant.data.get("idle", ())}
    values = {**own, **variant.where, **follows}
    values = {path: value for path, value in values.items() if path not in besides}
    present = {**decides, **follows, **given.values}
    alike = all(
        path in free
        or (path in present and is_expected(given, path, present[path], value))
        or _is_default_list(given, path, value)
        for path, value in values.items()
    )
    return values if alike else None


def _is_default_list(given: GivenKeys, path: str, due: object) -> bool:
    """Return whether a variant has a type's own layers, and a configuration gives that list.

    It may also give another list if all lists of these names have the same tensors. Names and
    length are checked later.
    """
    rule = given.file.layers.get(path)
    if rule is None or not equal(due, given.file.fields.get(path, ABSENT)):
        return False
    return "any of" in rule or is_own_list(given, path)


def _other_lengths(
    file: TypeFile, given: GivenKeys, variant: Variant, usual: Mapping[str, int]
) -> dict[str, int]:
    """Return how many sizes a variant has in each list of which a configuration has another number.

    Llama 3.2 Vision has layers that look at images at 8 or at 20 places, by its size. A list that
    is absent has its ``usual`` length, that of the first variant.
    """
    if not usual:
        return {}
    lengths = _list_lengths(file, variant)
    due = {path: one for path, one in usual.items() if path not in given.values}
    due |= {path: len(sizes) for path, sizes in given.sized_lists.items()}
    return {path: one for path, one in lengths.items() if due.get(path, one) != one}


def _list_lengths(file: TypeFile, variant: Variant) -> Counter[str]:
    """Return how many sizes a variant has in each list."""
    absent = variant.data.get("absent", ())
    sizes = (size for letter_, size in file.letters.items() if letter_ not in absent)
    return Counter(size.key for size in sizes if size.is_in_list)


def _has_sizes(file: TypeFile, given: GivenKeys, variant: Variant) -> bool:
    """Return whether a variant has the sizes that a configuration gives.

    It must have every such size, no other fixed value for one, and no need of one that is null.
    """
    without = {*variant.data.get("absent", ()), *variant.data.get("unread", ())}
    fixed = variant.data.get("fixed", {})
    for letter_, size in file.letters.items():
        value = given.values.get(size.path)
        is_needed = letter_ not in without and size.path not in (*variant.sized, *file.null)
        if is_needed and value is None and size.path in given.values:
            return False
        is_given = letter_ not in without and type(value) is int and not size.is_kind
        if is_given and value != fixed.get(letter_, value):
            return False
        if is_given and not value and letter_ not in _zero_letters(file, variant):
            return False
    return True


def _zero_letters(file: TypeFile, variant: Variant) -> frozenset[str]:
    """Return the letters whose size may be 0: no tensor depends on it, or models confirmed it."""
    derivation = _derivation(file, variant.name, variant.index)
    return derivation.at_zero.intersection({*derivation.inert, *variant.data.get("zero", ())})


def own_sizes(file: TypeFile, absent: tuple[str, ...]) -> dict[str, int]:
    """Return the sizes of the type's own configuration."""
    missing = [letter for letter, size in file.letters.items() if not size.default]
    try:
        return sizes_of(GivenKeys(file, {}), absent=(*absent, *missing))
    except KeyError:
        # Some defaults depend on sizes that have no default.
        return {}


def _without_changed_buffers(
    derivation: Derivation, file: TypeFile, given: GivenKeys
) -> Derivation:
    """Return a derivation without buffers if a field that buffers depend on has another value.

    Only the parameters are known to be the same then.
    """
    if not given.values.keys() & set(file.buffered):
        return derivation
    buffers = [one for one in derivation.tensors if one.role == "buffer"]
    return replace(
        derivation,
        tensors=tuple(one for one in derivation.tensors if one.role != "buffer"),
        unexplained=(*derivation.unexplained, *(f"{one.path} (buffer)" for one in buffers)),
    )
