"""Keys that a configuration class does not have are ignored, or refused as misspelt."""

from math import inf, nan
from string import ascii_lowercase

import pytest

from paramproof.catalogue import entry, model_types, read_type
from paramproof.catalogue.names import known_keys
from paramproof.catalogue.unknown_keys import find_unknown_keys
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.size_names import size_names
from paramproof.resolver.spellings import as_transformers
from tests.configs import ALL, BERT
from tests.found_configs import FOUND, UNNAMED
from tests.public_jsonl import public_configurations

TYPES = ["bert", "deepseek_v3", "gpt2", "llava", "t5"]


def fields(model_type):
    """Return the paths of a type's sizes that are keys of their own, including those of parts."""
    said = (one.path for one in read_type(model_type).letters.values())
    return [path for path in said if "[" not in path]


def edits(name):
    """Yield the name with a letter removed, doubled, replaced, and with two letters swapped."""
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
    """Return a configuration with a value at a path of keys."""
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
    """Return the key that is refused, or None, and the keys that are ignored."""
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


@pytest.mark.parametrize(
    ("model_type", "key", "value"),
    [
        ("bert", "hidden_sise", 768),
        ("bert", "is_decodr", True),
        ("qwen3", "tie_word_embedings", True),
        ("qwen3", "atention_bias", True),
        ("qwen3", "architecture", ["Qwen3Model"]),
        # d_kv differs from d_ff by two letters: a short name is misspelt by one.
        ("t5", "d_kvv", 64),
        ("t5", "num_leyerz", 6),
    ],
)
def test_a_misspelt_key_is_refused(model_type, key, value):
    with pytest.raises(InvalidInput) as caught:
        entry({"model_type": model_type, key: value})
    assert caught.value.key == key


UNDER_ANOTHER_NAME = [
    # Names that other model types or other programs have for a size.
    *(("llama", {key: 4}, "num_hidden_layers") for key in ("n_layers", "n_layer", "num_layers")),
    *(("llama", {key: 64}, "hidden_size") for key in ("dim", "n_embd", "d_model")),
    *(("llama", {key: 4}, "num_attention_heads") for key in ("n_heads", "n_head")),
    *(("llama", {key: 4}, "num_key_value_heads") for key in ("n_kv_heads", "num_kv_heads")),
    *(
        ("llama", {key: 96}, "intermediate_size")
        for key in ("ffn_dim", "ffn_hidden_size", "n_inner")
    ),
    ("llama", {"n_layers": 4.0}, "num_hidden_layers"),
    ("llama", {"padded_vocab_size": 32_064}, "vocab_size"),
    ("llama", {"decoder_layers": 4}, "num_hidden_layers"),
    ("gpt2", {"block_size": 256}, "n_positions"),
    ("bart", {"n_layers": 2}, "encoder_layers"),
    ("t5", {"n_layer": 2}, "num_layers"),
    ("xlnet", {"intermediate_size": 3072}, "d_inner"),
    ("nomic_bert", {"n_embd": 1024}, "hidden_size"),
    ("qwen", {"ffn_hidden_size": 22_016}, "intermediate_size"),
    ("llava", {"text_config": {"model_type": "llama", "dim": 64}}, "text_config.hidden_size"),
    ("llava", {"n_layers": 4}, "text_config.num_hidden_layers"),
    # Blocks with sizes in them.
    ("llava", {"llm_config": {"hidden_size": 64}}, "text_config.hidden_size"),
    ("llama", {"language_config": {"text": {"n_layers": 4}}}, "num_hidden_layers"),
    # Sizes of which the type has none.
    ("llama", {"num_experts": 8}, "experts"),
    ("nomic_bert", {"num_local_experts": 8}, "experts"),
]


@pytest.mark.parametrize(("model_type", "keys", "meant"), UNDER_ANOTHER_NAME)
def test_a_size_under_another_name_is_refused(model_type, keys, meant):
    """Otherwise the default of the type would be counted."""
    with pytest.raises(InvalidInput) as caught:
        entry({"model_type": model_type, **keys})
    assert caught.value.key.split(".")[0] in keys
    assert meant in caught.value.reason


@pytest.mark.parametrize(
    ("model_type", "keys", "ignored"),
    [
        # The type's own key is there, too, or its default is the size that is given.
        ("llama", {"hidden_size": 64, "num_attention_heads": 4, "dim": 96}, "dim"),
        ("bert", {"hidden_size": 96, "hidden_sise": 1}, "hidden_sise"),
        ("llama", {"padded_vocab_size": 32_000}, "padded_vocab_size"),
        ("llama", {"extra_config": {"hidden_size": 4096}}, "extra_config"),
        # A LLaMA has no table of positions, a model with one expert is like one without, and
        # a block of training options has no sizes. Files of Hiera have the number of its stages.
        ("llama", {"n_positions": 4}, "n_positions"),
        ("llama", {"num_experts": 1}, "num_experts"),
        ("llama", {"init_config": {"std": 1, "seed": 4}}, "init_config"),
        *(("llama", {"n_layers": one}, "n_layers") for one in (None, True, 4.5, inf, nan)),
        ("hiera", {"num_layers": 4}, "num_layers"),
        # The value is no size, or the name resembles none.
        *(
            ("bert", {"hidden_sise": one}, "hidden_sise")
            for one in ("a", True, None, {"a": 1}, [7])
        ),
        *(("bert", {key: 1}, key) for key in ("hidden_xywe", "size_hidden", "n", "")),
        ("t5", {"d_xy": 64}, "d_xy"),
    ],
)
def test_a_key_that_changes_nothing_is_ignored(model_type, keys, ignored):
    own = {key: value for key, value in keys.items() if key != ignored}
    found = entry({"model_type": model_type, **keys})
    assert found.unknown == (ignored,)
    assert found.count == entry({"model_type": model_type, **own}).count


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


def test_keys_of_a_part_are_known_there():
    llava = {"model_type": "llava", "text_config": {"model_type": "llama", "hidden_size": 64}}
    llava["text_config"]["num_attention_heads"] = 4
    assert entry(llava).unknown == ()
    llava["text_config"]["not_a_key"] = 1
    llava["not_a_key"] = 1
    assert entry(llava).unknown == ("text_config.not_a_key", "not_a_key")


def test_keys_of_earlier_releases_are_known():
    assert entry(BERT | {"gradient_checkpointing": True, "torchscript": False}).unknown == (
        "position_embedding_type",
    )
