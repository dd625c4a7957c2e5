"""What each framework supports, feature by feature, and what it refuses."""

from dataclasses import replace

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from tests.builders.features import FEATURES
from tests.builders.refused import FEATURES_REFUSED, refuses_family
from tests.builders.test_counts import assert_equal, assert_refused
from tests.specs import SMALL_ENCODER as SPEC


class UnsupportedFamilySpec:
    family = "nobodys"


def test_a_family_that_no_framework_has(framework, builder):
    """A family from another distribution is refused with a reason, not with an AttributeError."""
    reason = builder.supports(UnsupportedFamilySpec())
    name = framework.name.split("-")[0]
    no_other = "keras-bert builds BERT's encoder and no other family of models"
    expected = no_other if framework.name == "keras-bert" else f"{name} has no such family: nobodys"
    assert reason == expected
    assert_refused(builder, UnsupportedFamilySpec())


def test_every_family_has_features():
    families = [family_of(spec).name for spec in FEATURES.values()]
    assert list(dict.fromkeys(families)) == list(FAMILIES)


@pytest.mark.parametrize("feature", FEATURES)
def test_feature(framework, builder, feature):
    spec = FEATURES[feature]
    family = family_of(spec).name
    literals = FEATURES_REFUSED.get(framework.name, set())
    if refuses_family(framework.name, family) or feature in literals:
        assert_refused(builder, spec)
    else:
        assert builder.supports(spec) is True
        assert_equal(builder, spec)


def test_fixed_fields_are_what_supports_refuses(framework, builder):
    """The header tells the strategies what ``supports`` would refuse one by one."""
    others = {"type_vocab_size": 3, "tie_word_embeddings": False}
    spec = replace(SPEC, mlm_head=True, nsp_head=True)
    for field, value in others.items():
        refused = builder.supports(replace(spec, **{field: value})) is not True
        assert refused == (field in framework.fixed)
    assert builder.supports(replace(spec, **framework.fixed)) is True
