"""The heads that people put on a model, instead of those of its spec.

A family's spec has only the heads that it was trained with. Classifiers are added to the inventory
here, as tensors, so that every convention and the algebra include them.

Source: transformers, src/transformers/models: modeling_bert.py, modeling_gpt2.py and
modeling_llama.py, the classes that ``Heads.like`` names.
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
"""The most outputs of a classifier."""

MAX_LABELS_WITHOUT_BIAS = 100
"""The most outputs without bias: each adds just H, as wrong sums of matrices do by chance."""


class Heads(NamedTuple):
    """The heads of a model, as in the class of transformers that they are ``like``.

    ``says`` describes them, and ``fields`` sets them in the spec. A classifier at ``component``
    has ``labels`` outputs and labels·H + labels parameters, or labels·H without ``bias``. With
    ``has_second_bias``, the decoder of a masked-language head has its V biases twice.
    """

    like: str
    says: str
    fields: SpecFields
    component: str = "classification_head"
    labels: int = 0
    bias: bool = True
    has_second_bias: bool = False

    def spec(self, spec: Any) -> Spec:
        """Return ``spec`` with those of these heads that a spec can have."""
        changed: Spec = replace(spec, **dict(self.fields))
        return changed

    def on(self, inventory: Inventory) -> Inventory:
        """Add to the inventory of a spec with these heads the tensors that no spec has."""
        hidden, source = inventory.letter("H"), f"transformers, {self.like}"
        tensors = inventory.tensors
        if self.labels:
            classifier = linear(hidden, self.labels, source, bias=1 if self.bias else None)
            tensors += within(self.component, classifier)
        if self.has_second_bias:
            tensors += (Tensor("mlm_head.bias", (inventory.letter("V"),), source),)
        return replace(inventory, tensors=tensors)

    def with_labels(self, labels: int) -> Heads:
        """Return this classifier with ``labels`` outputs."""
        outputs = "1 label" if labels == 1 else f"{labels} labels"
        return self._replace(labels=labels, says=self.says.format(outputs))


def heads_of(spec: Spec) -> Iterator[Heads]:
    """Yield the heads that a spec of this family can have, except its own."""
    for heads in _HEADS.get(family_of(spec).name, ()):
        for variant in (heads, *_untied(heads)):
            if variant.has_second_bias or variant.spec(spec) != spec:
                yield variant


def classifiers_of(spec: Spec) -> Iterator[tuple[Heads, int]]:
    """Yield the classifiers of a model of this family, each with its maximum number of labels.

    A classifier with a fixed number of labels keeps it. A classifier that replaces the pooler has
    fewer than H labels, since H labels would have the H·(H + 1) parameters of a pooler.
    """
    for classifier in _CLASSIFIERS.get(family_of(spec).name, ()):
        most = MAX_LABELS if classifier.bias else MAX_LABELS_WITHOUT_BIAS
        if ("pooler", False) in classifier.fields:
            most = min(most, spec.letters()._asdict()["H"] - 1)
        yield classifier, classifier.labels or most


def without_heads(spec: Any) -> Spec:
    """Return ``spec`` without heads, so that specs that differ only in heads become equal."""
    bare: Spec = replace(spec, **{name: on for name, on in _BARE.items() if hasattr(spec, name)})
    return bare


def _untied(heads: Heads) -> Iterator[Heads]:
    """Yield heads whose masked-language head has a decoder of its own, with one or two biases.

    With ``tie_word_embeddings=False``, transformers has two: the head's and the decoder's.
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
"""The heads that a spec can have, by family."""

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
"""The classifiers of each family, with any number of labels unless it is given."""
