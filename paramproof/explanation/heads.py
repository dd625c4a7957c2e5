"""The heads that people put on a model, in place of those of its spec.

A family's spec has the heads that it was trained with. A classifier is in none of them: it is
added to the inventory here, as tensors, so that every convention and the algebra have it too.

Source: transformers, src/transformers/models: modeling_bert.py, modeling_gpt2.py and
modeling_llama.py, the class that each of these heads is ``like``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from paramproof.formulas import Inventory
from paramproof.formulas.families import family_of
from paramproof.formulas.spec import Spec
from paramproof.formulas.tensors import Tensor
from paramproof.formulas.terms import linear, within

SpecFields = tuple[tuple[str, int], ...]
"""Fields of a spec with values."""

MAX_LABELS = 1000
"""A classifier has at most so many outputs."""

MAX_LABELS_WITHOUT_BIAS = 100
"""The same, where each adds H and nothing else, as wrong sums of matrices do by chance."""


class Heads(NamedTuple):
    """What stands on a model, as on one of transformers' classes, which it is ``like``.

    ``says`` is that in words, ``fields`` those of the spec that make it so. A classifier at
    ``component`` has ``labels`` outputs: labels·H + labels, without ``bias`` labels·H. The
    decoder of a masked-language head that ``has_second_bias`` has its V biases twice.
    """

    like: str
    says: str
    fields: SpecFields
    component: str = "classification_head"
    labels: int = 0
    bias: bool = True
    has_second_bias: bool = False

    def spec(self, spec: Any) -> Spec:
        """Return ``spec`` with these heads, as far as a spec can have them."""
        changed: Spec = replace(spec, **dict(self.fields))
        return changed

    def on(self, inventory: Inventory) -> Inventory:
        """Return ``inventory``, of a spec with these heads, with the tensors no spec has."""
        hidden, source = inventory.letter("H"), f"transformers, {self.like}"
        tensors = inventory.tensors
        if self.labels:
            classifier = linear(hidden, self.labels, source, bias=1 if self.bias else None)
            tensors += within(self.component, classifier)
        if self.has_second_bias:
            tensors += (Tensor("mlm_head.bias", (inventory.letter("V"),), source),)
        return replace(inventory, tensors=tensors)

    def with_labels(self, labels: int) -> Heads:
        """Return this classifier with so many outputs."""
        outputs = "1 label" if labels == 1 else f"{labels} labels"
        return self._replace(labels=labels, says=self.says.format(outputs))


def heads_of(spec: Spec) -> Iterator[Heads]:
    """Yield the heads that a spec of this family can have, but its own."""
    for heads in _HEADS.get(family_of(spec).name, ()):
        for variant in (heads, *_untied(heads)):
            if variant.has_second_bias or variant.spec(spec) != spec:
                yield variant


def classifiers_of(spec: Spec) -> Iterator[tuple[Heads, int]]:
    """Yield the classifiers of a model of this family, each with the most labels it may have.

    Those that have a number of labels already have that one. In place of a pooler, labels are
    fewer than H: as many as that would be a pooler in disguise, of H·(H + 1).
    """
    for classifier in _CLASSIFIERS.get(family_of(spec).name, ()):
        most = MAX_LABELS if classifier.bias else MAX_LABELS_WITHOUT_BIAS
        if ("pooler", False) in classifier.fields:
            most = min(most, spec.letters()._asdict()["H"] - 1)
        yield classifier, classifier.labels or most


def without_heads(spec: Any) -> Spec:
    """Return what is the same in specs that differ in heads alone."""
    bare: Spec = replace(spec, **{name: on for name, on in _BARE.items() if hasattr(spec, name)})
    return bare


def _untied(heads: Heads) -> Iterator[Heads]:
    """The masked-language head among them with a decoder of its own, and one or two biases.

    Two where transformers has ``tie_word_embeddings=False``: the head's and the decoder's.
    """
    if ("mlm_head", True) in heads.fields:
        fields = (*heads.fields, ("tie_word_embeddings", False))
        says = f"{heads.says}, the decoder untied"
        yield heads._replace(fields=fields, says=says)
        yield heads._replace(fields=fields, says=f"{says}, its bias twice", has_second_bias=True)


_BARE = {"pooler": True, "mlm_head": False, "nsp_head": False, "tie_word_embeddings": True}


def _encoder(**changed: bool) -> SpecFields:
    return tuple((_BARE | changed).items())


_TIED = (("tie_word_embeddings", True),)

_HEADS = {
    "encoder": (
        Heads(
            "BertForPreTraining",
            "with mlm_head and nsp_head",
            _encoder(mlm_head=True, nsp_head=True),
        ),
        Heads(
            "BertForMaskedLM",
            "without pooler, with mlm_head",
            _encoder(pooler=False, mlm_head=True),
        ),
        Heads("BertForNextSentencePrediction", "with nsp_head", _encoder(nsp_head=True)),
    )
}
"""By family: heads that a spec can have."""

_CLASSIFIERS = {
    "encoder": (
        Heads(
            "BertForQuestionAnswering",
            "without pooler, with outputs for start and end",
            _encoder(pooler=False),
            "question_answering_head",
            labels=2,
        ),
        Heads("BertForSequenceClassification", "with a classifier of {}", _encoder()),
        Heads(
            "BertForTokenClassification",
            "without pooler, with a classifier of {} for each token",
            _encoder(pooler=False),
        ),
    ),
    **{
        family: (
            Heads(
                f"{name}ForQuestionAnswering",
                "with outputs for start and end in place of lm_head",
                _TIED,
                "question_answering_head",
                labels=2,
            ),
            Heads(
                f"{name}ForSequenceClassification",
                "with a classifier of {} without bias in place of lm_head",
                _TIED,
                bias=False,
            ),
            Heads(
                f"{name}ForTokenClassification",
                "with a classifier of {} for each token in place of lm_head",
                _TIED,
            ),
        )
        for family, name in (("gpt", "GPT2"), ("llama", "Llama"))
    },
}
"""By family: classifiers, of as many labels as one likes unless they say how many."""
