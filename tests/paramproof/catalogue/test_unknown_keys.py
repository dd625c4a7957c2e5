"""Keys that a configuration class does not have are ignored, or refused as misspelt."""

from math import inf, nan
from string import ascii_lowercase

import pytest

from paramproof.catalogue import entry
from paramproof.formulas.errors import InvalidInput, NotInCatalogue
from paramproof.resolver.spellings import as_transformers
from tests.configs import ALL, FOUND, UNNAMED, public_configurations

TYPES = ["bert", "deepseek_v3", "gpt2", "llava", "t5"]


def edits(name):
    yield from (f"{name[:i]}{name[i + 1 :]}" for i in range(len(name)))
    yield from (f"{name[:i]}{name[i]}{name[i:]}" for i in range(len(name)))
    for i, one in enumerate(name):
        if one in ascii_lowercase:
            other = ascii_lowercase[(ascii_lowercase.index(one) + 7) % 26]
            yield f"{name[:i]}{other}{name[i + 1 :]}"
    for i in range(len(name) - 1):
        if name[i] != name[i + 1]:
            yield f"{name[:i]}{name[i + 1]}{name[i]}{name[i + 2 :]}"


def configuration(model_type, path):
    *parts, key = path.split(".")
    found = {key: 8}
    for part in reversed(parts):
        kind = entry({"model_type": model_type}).parts[part].get("model_type")
        found = {part: {"model_type": kind, **found}}
    return {"model_type": model_type, **found}


def outcome(keys):
    """Return the key that is refused; or else whether it is ignored, or a key of the class."""
    try:
        return "ignored" if entry(keys).unknown else "taken"
    except InvalidInput as error:
        return error.key
    except NotInCatalogue:
        return "taken"


@pytest.mark.parametrize("model_type", TYPES)
def test_a_size_misspelt_by_one_letter_is_refused(model_type):
    """It is not refused if the class has that key too, such as n_heads beside n_head."""
    for path in entry({"model_type": model_type}).assumed:
        before, dot, name = path.rpartition(".")
        refused = 0
        for edit in {*edits(name)} - {name, ""}:
            wrong = f"{before}{dot}{edit}"
            found = outcome(configuration(model_type, wrong))
            assert found in (wrong, "taken"), f"{wrong} is ignored"
            refused += found == wrong
        assert refused >= len(name)


def test_sizes_of_an_absent_part_may_be_at_top_level():
    """Qwen2-VL's class makes its text part of them."""
    keys = {"hidden_size": 1024, "num_hidden_layers": 4}
    found = entry({"model_type": "qwen2_vl", **keys})
    part = {"model_type": "qwen2_vl_text", **keys}
    assert found.count == entry({"model_type": "qwen2_vl", "text_config": part}).count
    assert (found.unknown, {*keys} & {*found.assumed}) == ((), set())


@pytest.mark.parametrize("value", [inf, nan])
def test_a_number_that_is_no_size_misspells_none(value):
    assert entry({"model_type": "llama", "n_layers": value}).unknown == ("n_layers",)


def test_public_configurations_have_no_misspelt_keys():
    """But a T5 has experts, an XLNet another name of a width, and a DBRX a text for an object.

    VibeVoice's own code has a decoder, of which transformers' class makes nothing.
    """
    refused = []
    for keys in public_configurations():
        try:
            entry(keys)
        except InvalidInput as error:
            refused.append(error.key)
        except NotInCatalogue:
            continue
    once = "num_experts", "intermediate_size", "ffn_config.ffn_act_fn", "decoder_config"
    assert sorted(refused) == sorted(once)


@pytest.mark.parametrize(
    "keys", [*(ALL | FOUND).values(), *(keys for keys, _, _ in UNNAMED.values())]
)
def test_hand_written_configurations_have_no_misspelt_keys(keys):
    entry(as_transformers(keys)[0])
