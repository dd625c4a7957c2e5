"""Released configurations are read as they are; what would change a count is refused by name."""

import json
import math
from dataclasses import fields, replace

import pytest
from paramproof.sources.configs import read_config, spec_of_config
from paramproof.sources.configs.formats import BY_MODEL_TYPE, FORMATS, UNNAMED

from paramproof.formulas import EncoderSpec, GPTSpec, LlamaSpec, closed_form
from paramproof.formulas.models import named_model
from tests.configs import (
    ALL,
    BAIDU,
    BERT,
    ERNIE,
    GOOGLE,
    GPT2,
    LLAMA,
    ROBERTA,
    refusal,
    without,
)

BASE = named_model("bert-base").spec


@pytest.mark.parametrize(
    ("config", "spec"),
    [
        (GOOGLE, named_model("bert-base-chinese").spec),
        (BAIDU, named_model("ernie-1.0").spec),
        (BERT, replace(BASE, pooler=False, mlm_head=True)),
        (ERNIE, replace(named_model("ernie-1.0").spec, mlm_head=True, nsp_head=True)),
        (
            ROBERTA,
            EncoderSpec(
                vocab_size=50265,
                hidden_size=768,
                num_hidden_layers=12,
                num_attention_heads=12,
                intermediate_size=3072,
                max_position_embeddings=514,
                type_vocab_size=1,
                pooler=False,
                mlm_head=True,
            ),
        ),
        (GPT2, named_model("gpt2").spec),
        (LLAMA, named_model("llama-3-8b").spec),
    ],
    ids=ALL,
)
def test_a_released_file(config, spec, tmp_path):
    assert spec_of_config(config) == spec
    file = tmp_path / "config.json"
    file.write_text(json.dumps(config))
    assert spec_of_config(file) == spec_of_config(str(file)) == spec


@pytest.mark.parametrize(
    ("config", "count"),
    # As num_parameters() of the models of transformers gives them.
    [(BERT, 109_514_298), (ROBERTA, 124_697_433), (GPT2, 124_439_808), (LLAMA, 8_030_261_248)],
    ids=["bert", "roberta", "gpt2", "llama"],
)
def test_a_known_count(config, count):
    assert closed_form(spec_of_config(config).letters()) == count


@pytest.mark.parametrize(
    ("architecture", "pooler", "mlm", "nsp"),
    [
        ("BertModel", True, False, False),
        ("BertForMaskedLM", False, True, False),
        ("BertForNextSentencePrediction", True, False, True),
        ("BertForPreTraining", True, True, True),
    ],
)
def test_heads_follow_the_class(architecture, pooler, mlm, nsp):
    expected = replace(BASE, pooler=pooler, mlm_head=mlm, nsp_head=nsp)
    assert spec_of_config(BERT | {"architectures": [architecture]}) == expected
    read = read_config(BERT, architecture)
    assert (read.spec, read.architecture, read.assumed) == (expected, architecture, False)


@pytest.mark.parametrize("named", [[], None])
@pytest.mark.parametrize(
    ("config", "architecture"),
    [
        (BERT, "BertModel"),
        (ERNIE, "ErnieModel"),
        (ROBERTA, "RobertaModel"),
        (GPT2, "GPT2LMHeadModel"),
        (LLAMA, "LlamaForCausalLM"),
        (GOOGLE, "BertModel"),
        (BAIDU, "BertModel"),
    ],
    ids=["bert", "ernie", "roberta", "gpt2", "llama", "google", "baidu"],
)
def test_without_a_class_the_usual_one_is_assumed(config, architecture, named):
    read = read_config(config | {"architectures": named})
    assert (read.architecture, read.assumed) == (architecture, True)


@pytest.mark.parametrize("config", [BERT, ERNIE, ROBERTA, GPT2, LLAMA])
def test_the_class_alone_tells_the_kind(config):
    assert read_config(without(config, "model_type")) == read_config(config)


def test_a_decoder_without_a_head_has_nothing_to_untie():
    for config, name in ((GPT2, "GPT2Model"), (LLAMA, "LlamaModel")):
        bare = spec_of_config(config | {"architectures": [name], "tie_word_embeddings": False})
        tied = spec_of_config(config | {"tie_word_embeddings": True})
        own = spec_of_config(config | {"tie_word_embeddings": False})
        assert bare == tied == replace(own, tie_word_embeddings=True)


def test_what_is_absent_follows_from_the_rest():
    assert spec_of_config(GPT2 | {"n_inner": None}).intermediate_size == 4 * 768
    assert spec_of_config(GPT2 | {"n_inner": 100}).intermediate_size == 100
    assert spec_of_config(GPT2).tie_word_embeddings is True
    absent = {"num_key_value_heads": None, "tie_word_embeddings": None}
    old = spec_of_config(LLAMA | absent)
    assert (old.num_key_value_heads, old.head_dim, old.tie_word_embeddings) == (32, 128, False)
    assert spec_of_config(LLAMA | {"head_dim": 64}).head_dim == 64


def test_other_names_of_a_size():
    renamed = without(GPT2, "n_embd", "n_layer")
    assert spec_of_config(renamed | {"hidden_size": 768, "num_hidden_layers": 12}) == (
        spec_of_config(GPT2)
    )
    types = without(BAIDU, "type_vocab_size")
    assert spec_of_config(types | {"sent_type_vocab_size": 4}).type_vocab_size == 4


@pytest.mark.parametrize(
    ("config", "change", "line"),
    [
        (BERT, {"is_decoder": True}, "is_decoder=True is not counted: it would be a decoder"),
        (BERT, {"add_cross_attention": True}, "add_cross_attention=True is not counted: each la"),
        (BERT, {"position_embedding_type": "relative_key"}, "position_embedding_type='relative_k"),
        (BERT, {"pruned_heads": {"0": [1]}}, "pruned_heads={'0': [1]} is not counted: heads wou"),
        (BERT, {"embedding_size": 128}, "embedding_size=128 and hidden_size=768 differ: such a "),
        (BERT, {"quantization_config": {"bits": 4}}, "quantization_config={'bits': 4} is not co"),
        (BERT, {"auto_map": {"AutoModel": "x"}}, "auto_map={'AutoModel': 'x'} is not counted: "),
        (BERT, {"tie_word_embeddings": False}, "tie_word_embeddings=False is not counted for Be"),
        (ROBERTA, {"tie_word_embeddings": False}, "tie_word_embeddings=False is not counted for"),
        (ERNIE, {"use_task_id": True}, "use_task_id=True is not counted: it would add a table o"),
        (BAIDU, {"task_type_vocab_size": 16}, "task_type_vocab_size=16 is not counted: it would"),
        (BAIDU, {"emb_size": 128}, "emb_size=128 and hidden_size=768 differ"),
        (GPT2, {"add_cross_attention": True}, "add_cross_attention=True is not counted: each la"),
        (LLAMA, {"attention_bias": True}, "attention_bias=True is not counted: the attention's "),
        (LLAMA, {"mlp_bias": True}, "mlp_bias=True is not counted: the feed-forward projections"),
        (LLAMA, {"num_local_experts": 8}, "num_local_experts=8 is not counted: there would be s"),
        # Nobody here has heard of them: even where they say nothing.
        (BERT, {"num_hidden_groups": None}, "'num_hidden_groups' is no known key of Hug"),
        (LLAMA, {"type_vocab_size": 2}, "'type_vocab_size' is no known key of Hugging F"),
        (GPT2, {"intermediate_size": 9}, "'intermediate_size' is no known key of Huggin"),
        (GOOGLE, {"n_layer": 12}, "'n_layer' is no known key of BERT (Google's, Baidu's"),
        (GOOGLE, {"position_embedding_type": "relative_key"}, "position_embedding_type='relativ"),
        (GOOGLE, {"is_decoder": True}, "is_decoder=True is not counted: it would be a decoder"),
    ],
)
def test_what_would_change_the_count(config, change, line):
    assert refusal(config | change).startswith(line)


@pytest.mark.parametrize(
    ("config", "change", "line"),
    [
        (BERT, {"model_type": "albert"}, "model_type='albert' is not counted; there are: bert, "),
        (BERT, {"model_type": ["bert"]}, "model_type=['bert'] is not counted"),
        (BERT, {"architectures": ["GPT2Model"]}, "'GPT2Model' is no class of H"),
        (
            BERT,
            {"architectures": ["BertForSequenceClassification"], "num_labels": 3},
            "'BertForSequenceClassification' is no class of Hugging Face's BERT that can be "
            "counted; to count one of the same sizes, name it in its place: BertModel, "
            "BertForMaskedLM, BertForNextSentencePrediction, BertForPreTraining",
        ),
        (GOOGLE, {"architectures": ["T5Model"]}, "architectures=['T5Model'] is no class that is"),
        (BERT, {"architectures": "BertModel"}, "architectures='BertModel' is not possible"),
        (BERT, {"architectures": ["BertModel"] * 2}, "architectures=['BertModel', 'BertModel'] "),
        (BERT, {"architectures": [1]}, "architectures=[1] is not possible: it must be one class"),
        (BERT, {"tie_word_embeddings": 1}, "tie_word_embeddings=1 is not possible: true or fals"),
        (BERT, {"hidden_size": "768"}, "hidden_size='768' is not possible: it must be an int"),
        (BERT, {"hidden_size": 768.0}, "hidden_size=768.0 is not possible: it must be an int"),
        (BERT, {"hidden_size": math.inf}, "hidden_size=inf is not possible: it must be an int"),
        (BERT, {"hidden_size": math.nan}, "hidden_size=nan is not possible: it must be an int"),
        (BERT, {"hidden_size": True}, "hidden_size=True is not possible: it must be an int"),
        (BERT, {"hidden_size": None}, "hidden_size is missing, as a configuration of Hugging Fa"),
        (BERT, {"hidden_size": 0}, "hidden_size=0 is not possible: it must be 1 or more"),
        (BERT, {"num_attention_heads": 5}, "num_attention_heads=5 is not possible: it must be a"),
        (BERT, {"vocab_size": 10**9 + 1}, "vocab_size=1000000001 is not possible: it must be 1,"),
        (BERT, {"num_hidden_layers": 10**5 + 1}, "num_hidden_layers=100001 is not possible: it "),
        (GPT2, {"hidden_size": 769}, "n_embd=768 and hidden_size=769 contradict each other"),
        (GPT2, {"n_positions": 512}, "n_positions=512 and n_ctx=1024 contradict each other"),
        (LLAMA, {"num_key_value_heads": 5}, "num_key_value_heads=5 is not possible: it must be "),
        (LLAMA, {"head_dim": 63}, "head_dim=63 is not possible: it must be even"),
    ],
)
def test_contradictory_or_absurd(config, change, line):
    assert refusal(config | change).startswith(line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"vocab_size": 3, "vocab_size": 4}', ": the key 'vocab_size' appears twice"),
        ("{" * 3, ": is not JSON: "),
        ("[1]", ": is not a JSON object: [1]"),
        ("[" * 100_000, ": is nested deeper than "),
        ("{}" + " " * 2**20, ": has 1,048,578 bytes: files larger than 1,048,576 "),
        ('{"hidden_size": 1' + "0" * 5000 + "}", ": a number of 5,001 digits is not a size"),
        ("{}", ": vocab_size is missing, as a configuration of BERT (Google's, Baidu's, or any wi"),
    ],
    ids=range(7),
)
def test_a_file_that_cannot_be_read(text, line, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(text)
    assert refusal(file).startswith(f"{file}{line}")


def test_what_is_no_file(tmp_path):
    assert refusal(tmp_path) == f"{tmp_path}: is a directory: name the file in it"
    absent = tmp_path / "config.json"
    assert refusal(absent) == f"{absent}: does not exist"
    assert refusal("/dev/null") == "/dev/null: is not a regular file"
    assert refusal("x" * 300) == "x" * 300 + ": does not exist"
    absent.write_bytes(b"\xff\xfe{")
    assert refusal(absent) == f"{absent}: is in UTF-16: JSON must be in UTF-8"


def test_a_message_is_short_however_long_the_value():
    assert len(refusal(BERT | {"hidden_size": "7" * 10_000})) < 150
    assert len(refusal(BERT | {"x" * 10_000: 1})) < 200


def test_no_key_is_in_two_tables():
    """A key that is both a size and harmless would be one or the other by chance."""
    for kind in (*BY_MODEL_TYPE.values(), UNNAMED):
        sizes = {key for names in kind.sizes.values() for key in names}
        tables = (sizes, kind.accepted_only, kind.must_equal, kind.ignored_keys)
        assert sum(map(len, map(set, tables))) + 3 == len(kind.keys)


def test_every_spec_has_a_kind():
    assert {kind.spec for kind in FORMATS} == {EncoderSpec, GPTSpec, LlamaSpec}
    for kind in FORMATS:
        assert {kind.default, *kind.class_aliases.values()} <= set(kind.architectures)
        assert not kind.class_aliases.keys() & kind.architectures.keys()
        due = {field.name for field in fields(kind.spec)} - {"tie_word_embeddings"}
        parts = {"pooler", "mlm_head", "nsp_head"}
        assert set(kind.sizes) == due - parts
