"""A size on which no tensor depends may be 0 where models confirm it."""

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from paramproof.catalogue.derivations import derivation_of, variants  # noqa: E402
from paramproof.catalogue.files import parse_type  # noqa: E402
from sweep.entries.zero_sizes import ZeroFinder, with_zero_sizes  # noqa: E402
from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402
from sweep.store import read_entry  # noqa: E402

NAME = "granitemoehybrid"


def without_zeros():
    data = read_entry(NAME)
    for one in data["classes"].values():
        for variant in (one, *one.get("also", ())):
            variant.pop("zero", None)
    return data


def test_the_sizes_in_a_file_are_found_again():
    bare = without_zeros()
    again = with_zero_sizes(bare)
    assert again == read_entry(NAME) != bare
    first = again["classes"]["GraniteMoeHybridModel"]
    assert first["zero"] == ["mcs", "nept", "L"]
    # No class reads the number of experts per token if there are no experts.
    (without_experts,) = (
        one
        for one in first["also"]
        if one.get("where") == {"num_local_experts": 0} and "sized" not in one
    )
    assert without_experts["zero"] == ["mcs", "L"]


@pytest.mark.parametrize(
    ("keys", "verdict"),
    [
        ({"num_experts_per_tok": 0}, Verdict.EQUAL),
        ({"num_experts_per_tok": 0, "num_local_experts": 0}, Verdict.EQUAL),
        ({"mamba_chunk_size": 0}, Verdict.EQUAL),
        ({"num_experts_per_tok": -1}, Verdict.NOT_COUNTED),
        ({"shared_intermediate_size": 0}, Verdict.NOT_COUNTED),
        ({"hidden_size": 0}, Verdict.NOT_COUNTED),
    ],
)
def test_a_size_of_0_is_counted_as_it_is_built(keys, verdict):
    assert judge({"model_type": NAME, "num_hidden_layers": 2, **keys}).verdict is verdict


def test_a_variant_does_not_inherit_the_zeros_of_its_class(monkeypatch):
    def find(self, variant):
        yield from () if variant.index else ["mcs"]

    monkeypatch.setattr(ZeroFinder, "find", find)
    file = parse_type(with_zero_sizes(without_zeros()))
    first, *others = variants(file, "GraniteMoeHybridModel")
    assert derivation_of(file, first, {}).at_zero >= {"mcs"}
    assert all("mcs" not in derivation_of(file, one, {}).at_zero for one in others)
