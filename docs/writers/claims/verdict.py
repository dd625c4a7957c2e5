"""Verdicts on printed numbers, computed from the inventory and by ``paramproof explain``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, singledispatch
from typing import Literal, TypeAlias

from docs.writers.claims.arithmetic import evaluate, whole
from docs.writers.claims.data import Claim, ClaimedFormula, Entry, Share, Size, TensorRow
from docs.writers.claims.targets import SIZE_OF, ClaimTarget, excuse, explanation_of
from paramproof.algebra.symbols import FamilyArchitecture, sizes_as_symbols
from paramproof.explanation.answer import in_powers
from paramproof.explanation.number import WrittenNumber, read
from paramproof.explanation.ways import TRAINABLE
from paramproof.formulas import inventory
from paramproof.formulas.conventions import PARTS, as_named
from paramproof.formulas.expression import Expression, letter
from paramproof.formulas.models import named_model
from paramproof.formulas.notation import text as in_text
from paramproof.formulas.path import has_layer
from paramproof.formulas.printing import signed
from paramproof.formulas.spec import Spec
from paramproof.formulas.tensors import Tensor

VerdictKind: TypeAlias = Literal["exact", "exact under a convention", "refuted"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a printed number.

    ``what`` names what the number counts. If it is refuted, ``residual`` is claimed − formula,
    ``component`` is the component of that difference, and ``correct`` the correct number.
    """

    kind: VerdictKind
    what: str
    residual: str = ""
    component: str = ""
    correct: str = ""


@singledispatch
def verdict(entry: Entry) -> Verdict:
    """Return the verdict on an entry of the ledger."""
    raise TypeError(f"not an entry of the ledger: {entry!r}")


@verdict.register
def _claim(claim: Claim) -> Verdict:
    target = ClaimTarget.of(claim)
    if not claim.claimed:
        return _held(whole(claim.expression or claim.printed), target)
    number = _number(claim.claimed)
    found = _held(number.exact, target) if number.exact else _rounded(number, target)
    if claim.printed:
        value = whole(claim.expression or claim.printed)
        if not (value == number.exact or any(value in one for one in number.readings)):
            return _wrong_sum(value, claim, target, found)
    return found


def _number(text: str) -> WrittenNumber:
    try:
        return read(text)
    except ValueError:
        return WrittenNumber(text, whole(text))


def _held(number: int, target: ClaimTarget) -> Verdict:
    """Return the verdict on an exact number that claims to count ``target``."""
    if number == target.count:
        return Verdict("exact under a convention" if target.conventions else "exact", target.text)
    if other := excuse(number, target):
        return Verdict("exact under a convention", other.text, correct=f"{target.count:,}")
    explanation = explanation_of(number, target)
    residual = number - target.count
    if explanation is None:
        letters = in_powers(residual, target.spec.hidden_size)
        component, what = "", "no explanation"
    else:
        letters = in_text(explanation.beyond(target))
        component, what = explanation.components(target), explanation.text
    text = f"{signed(residual)} = {letters}"
    return Verdict("refuted", what, text, component or target.name, f"{target.count:,}")


def _rounded(number: WrittenNumber, target: ClaimTarget) -> Verdict:
    for reading in number.readings:
        if target.count in reading:
            what = f"{target.text}: {target.count:,}, {reading.says}"
            return Verdict("exact under a convention", what)
    middle = int(number.readings[0].stated)
    residual = signed(middle - target.count)
    right = f"{as_named(target.count)} ({target.count:,})"
    return Verdict("refuted", "no explanation", residual, target.name, right)


def _wrong_sum(value: int, claim: Claim, target: ClaimTarget, found: Verdict) -> Verdict:
    """Return the verdict if the arithmetic and its printed result differ; each is explained."""
    own = _held(value, target)
    what = f"the arithmetic comes to {value:,} ({own.what}); {claim.claimed} is {found.what}"
    residual = found.residual or own.residual
    component = found.component or own.component
    return Verdict("refuted", what, residual, component, f"{target.count:,}")


@verdict.register
def _formula(formula: ClaimedFormula) -> Verdict:
    if formula.claimed:
        return _ratio(formula)
    target = ClaimTarget.of(formula)
    ours = sizes_as_symbols(formula.spec)._asdict()
    claimed = evaluate(
        formula.letters, {**ours, "d": ours["H"], "d_model": ours["H"], "N": ours["L"]}
    )
    at = {name: evaluate(written, ours) for name, written in formula.at.items()}
    where = "".join(f", at {name} = {written}" for name, written in formula.at.items())

    def beyond(one: ClaimTarget) -> Expression:
        difference: Expression = claimed - one.formula.substitute(at)
        return difference

    whole = ClaimTarget(formula.model, formula.spec)
    for names in (TRAINABLE, *((*TRAINABLE, name) for name in PARTS)):
        counted = target.under(names)
        if beyond(counted) == 0:
            what = counted.text + where
            if formula.whole:
                residual = in_text(beyond(whole))
                return Verdict("exact under a convention", what, residual, whole.name)
            return Verdict("exact" if names == TRAINABLE else "exact under a convention", what)
    residual = in_text(beyond(target))
    return Verdict("refuted", "no explanation", residual, target.name, in_text(target.formula))


def _ratio(formula: ClaimedFormula) -> Verdict:
    """Return the verdict on the value of letters at the model's sizes."""
    value = evaluate(formula.letters, formula.spec.letters()._asdict())
    difference = int(formula.claimed) - value
    if not difference:
        return Verdict("exact", formula.letters)
    return Verdict("refuted", formula.letters, signed(int(difference)), formula.letters, f"{value}")


@verdict.register
def _size(size: Size) -> Verdict:
    right: int = getattr(size.spec, size.field)
    claimed = int(size.claimed)
    if size.printed and whole(size.printed) != claimed:
        comes = f"the arithmetic comes to {whole(size.printed):,}"
        return Verdict("refuted", comes, signed(claimed - right), size.field, f"{right:,}")
    if claimed == right:
        return Verdict("exact", size.field)
    try:
        changed: Spec = replace(size.spec, **{size.field: claimed})
    except ValueError as error:
        residual = f"{signed(claimed - right)} in {size.field}"
        return Verdict("refuted", str(error), residual, size.field, f"{right:,}")
    target = ClaimTarget(size.model, size.spec)
    fields = {of: name for name, of in FamilyArchitecture.of(size.spec).fields.items()}
    primed = target.formula.substitute({fields[size.field]: letter(f"{fields[size.field]}'")})
    count = int(inventory(changed.letters()).total())
    residual = f"{signed(count - target.count)} = {in_text(primed - target.formula)}"
    what = f"with it the model would have {count:,}, not {target.count:,}"
    component = SIZE_OF.get(size.field, "the whole model")
    return Verdict("refuted", what, residual, component, f"{right:,}")


@verdict.register
def _share(share: Share) -> Verdict:
    named = inventory(share.spec.letters())
    part, total = sum(named.total(path) for path in share.parts), named.total()
    digits = len(share.claimed.rstrip("0"))
    step = 10 ** (len(share.claimed) - digits)
    what = f"{', '.join(share.parts)}: {part:,} of {total:,}, {100 * part / total:.2f} %"
    if abs(200 * part - 2 * int(share.claimed) * total) <= step * total:
        plural = "s" if digits > 1 else ""
        rounded = f"{what}, rounded to {digits} significant digit{plural}"
        return Verdict("exact under a convention", rounded)
    right = f"{100 * part / total:.2f} %"
    return Verdict("refuted", what, "", ", ".join(share.parts), right)


@verdict.register
def _row(row: TensorRow) -> Verdict:
    tensor = _tensors(row.model, has_layer(row.path))[row.path]
    claimed, turned = whole(row.claimed), tensor.shape[::-1]
    # A shape may be as it is, transposed, or that of a convolution of width 1.
    if claimed != tensor.size or row.shape not in (tensor.shape, turned, (*turned, 1)):
        residual = signed(claimed - tensor.size)
        return Verdict("refuted", str(tensor.shape), residual, row.path, f"{tensor.size:,}")
    if tensor.tied_to:
        what = f"{row.path} (tied-each): its storage is {tensor.tied_to}"
        return Verdict("exact under a convention", what, correct="0")
    if not tensor.trainable:
        return Verdict("exact under a convention", f"{row.path} (total): it is fixed", correct="0")
    return Verdict("exact", row.path)


@cache
def _tensors(model: str, in_layers: bool) -> Mapping[str, Tensor]:
    """Return the tensors that are present, by path: one for all layers, or one for each."""
    named = inventory(named_model(model).spec.letters())
    tensors = named if in_layers else named.expand()
    return {tensor.path: tensor for tensor in tensors if tensor.present}
