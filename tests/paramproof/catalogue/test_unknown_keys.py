"""Keys that a configuration class does not have are ignored, or refused as misspelt."""

from math import inf, nan
from string import ascii_lowercase

import pytest

from paramproof.catalogue import entry, model_types, read_type
from paramproof.catalogue.names import known_keys
from paramproof.catalogue.unknown_keys import find_unknown_keys
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.models import size_names
from paramproof.resolver.spellings import as_transformers
from tests.configs import ALL, FOUND, UNNAMED, public_configurations

TYPES = ["bert", "deepseek_v3", "gpt2", "llava", "t5"]


def fields(model_type):
    said = (one.path for one in read_type(model_type).letters.values())
    return [path for path in said if "[" not in path]


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
        found = {"model_type": read_type(model_type).parts[part], part: found}
        found = {part: found[part]}
    return {"model_type": model_type, **found}


def test_the_fields_of_variants_are_known():
    """Whatever a variant's data names is a key of the configuration, or of one of its parts."""
    for model_type in model_types():
        file = read_type(model_type)
        known = known_keys(file)
        for data in file.classes.values():
            for variant in (data, *data.get("also", ())):
                for name in ("decides", "only", "where", "sized", "computed", "follows"):
                    assert {*variant.get(name, ())} <= known, (model_type, name)


def outcome(file, keys):
    try:
        return None, find_unknown_keys(file, keys, ())
    except InvalidInput as error:
        return error.key, ()


@pytest.mark.parametrize(
    ("model_type", "path"), [(one, path) for one in TYPES for path in fields(one)]
)
def test_a_size_misspelt_by_one_letter_is_refused(model_type, path):
    """It is not refused if the class has that key too, such as n_heads beside n_head."""
    file = read_type(model_type)
    before, dot, name = path.rpartition(".")
    refused = 0
    for edit in {*edits(name)} - {name, ""}:
        wrong = f"{before}{dot}{edit}"
        keys = configuration(model_type, wrong)
        key, unknown = outcome(file, keys)
        assert key in (wrong, None)
        assert unknown == (), f"{wrong} is ignored"
        refused += key is not None
    assert refused >= len(name)


@pytest.mark.parametrize("value", [inf, nan])
def test_a_number_that_is_no_size_misspells_none(value):
    assert entry({"model_type": "llama", "n_layers": value}).unknown == ("n_layers",)


@pytest.mark.parametrize("letter", "AEFGHKLVP")
def test_the_names_of_a_size_are_those_that_types_have_for_it(letter):
    (size,) = (one for one in size_names() if one.letter == letter)
    of_types = (read_type(one).letters.get(letter) for one in model_types())
    assert {one.path for one in of_types if one and "." not in one.path} <= {*size.names}


def test_public_configurations_have_no_misspelt_keys():
    """Two of them give a T5 experts, which transformers' T5 does not have."""
    refused = []
    for keys in public_configurations():
        try:
            file = read_type(keys["model_type"])
        except ValueError:
            continue
        refused += filter(None, [outcome(file, keys)[0]])
    assert refused == ["num_experts"] * 2


@pytest.mark.parametrize(
    "keys", [*(ALL | FOUND).values(), *(keys for keys, _, _ in UNNAMED.values())]
)
def test_hand_written_configurations_have_no_misspelt_keys(keys):
    keys, _ = as_transformers(keys)
    find_unknown_keys(read_type(keys["model_type"]), keys)
