"""Common miscounts in Hugging Face transformers, and by how much each one is off."""

from dataclasses import asdict, replace

import pytest

from paramproof.formulas import closed_form, compare, inventory
from tests.specs import SMALL_ENCODER as SPEC

pytestmark = pytest.mark.framework("transformers")

L, H, A, F, V, P, T, *_ = SPEC.letters()
SIZES = {name: value for name, value in asdict(SPEC).items() if type(value) is int}
ENCODER = closed_form(SPEC.letters())
POOLER = H * H + H

HEADS = {
    "Model": SPEC,
    "ForMaskedLM": replace(SPEC, mlm_head=True, pooler=False),
    "ForNextSentencePrediction": replace(SPEC, nsp_head=True),
    "ForPreTraining": replace(SPEC, mlm_head=True, nsp_head=True),
}


def make_model(name, **options):
    import torch
    import transformers

    kind = getattr(transformers, name)
    with torch.device("meta"):
        return kind(kind.config_class(**SIZES, **{"pad_token_id": None, **options}))


def report_of(module, spec):
    from paramproof.builders.frameworks.transformers import HuggingFaceModel

    return compare(inventory(spec.letters()), HuggingFaceModel(module).weights())


def test_an_untied_head_has_one_more_output_bias_than_the_formula():
    spec = replace(HEADS["ForMaskedLM"], tie_word_embeddings=False)
    report = report_of(make_model("BertForMaskedLM", tie_word_embeddings=False), spec)
    assert report.difference == V
    (row,) = report.rows
    assert (row.native, row.note) == (
        "cls.predictions.decoder.bias",
        "mlm_head.decoder.bias: stored a second time",
    )


def test_num_parameters_can_exclude_the_tables_and_keeps_frozen_ones():
    module = make_model("BertModel")
    assert module.num_parameters(exclude_embeddings=True) == ENCODER - (V + P + T) * H
    module.pooler.requires_grad_(False)
    assert module.num_parameters() == ENCODER
    assert module.num_parameters(only_trainable=True) == ENCODER - POOLER
    assert report_of(module, SPEC).difference == -POOLER


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("kind", ["Bert", "Ernie"])
def test_ernie_is_the_same_encoder(kind, head):
    report = report_of(make_model(kind + head), HEADS[head])
    assert report.equal, report.render()


@pytest.mark.parametrize("head", HEADS)
def test_the_task_types_of_ernie_are_one_more_table(head):
    report = report_of(
        # Of which there are 3 by default.
        make_model(f"Ernie{head}", use_task_id=True),
        HEADS[head],
    )
    assert report.difference == 3 * H
    (row,) = report.rows
    assert (row.kind, row.observed) == ("unexpected", (3, H))
    assert row.native.endswith("embeddings.task_type_embeddings.weight")
