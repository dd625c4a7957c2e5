"""What each command prints, as a whole: the outputs are files to read, one for each command.

A case is a line of ``CASES``, and the files that it names are in ``CONFIGS`` and ``WEIGHTS``. Its
output, status and errors stand in ``__snapshots__``, in the file of its command, without versions.
``pytest tests/paramproof/cli/test_commands.py --snapshot-update`` writes the output of a case that
is new or has changed: read the diff, since nothing else does.
"""

import json
import re
import shlex
from pathlib import Path

import pytest
from syrupy.extensions.amber import AmberSnapshotExtension

from paramproof.formulas.derivation_data import derivation_data
from paramproof.formulas.families import spec_fields
from paramproof.json_form import document
from tests.checkpoints import ENCODER, GROUPED, T5, canonical, in_memory, sharded, write
from tests.configs import DEEPSEEK_V3, FLAN_T5_SMALL, MIXTRAL_8X7B, SMALL_MIXTRAL, without
from tests.derivations import MIXTURE, H, tensor, with_tensors
from tests.json_schema import assert_document

SPEC = {
    **{"vocab_size": 50_000, "hidden_size": 640, "num_hidden_layers": 7, "type_vocab_size": 1},
    **{"num_attention_heads": 10, "intermediate_size": 2_000, "max_position_embeddings": 300},
}
MIXTRAL = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_hidden_layers": 3}
UNLIKE = (tensor("h.*.weight", H, H), tensor("h.*.weight", 3, H), tensor("h.*.bias", 3))
EXPERTS = [tensor(f"mlp.expert_{number}.weight", H) for number in range(400)]
MANY = range(10**5)


def derived(*tensors):
    """Return the document of a derivation, with other tensors."""
    one = with_tensors(*tensors) if tensors else MIXTURE
    return document("derivation", derivation_data(one))


CONFIGS = {
    "flan.json": FLAN_T5_SMALL,
    "tied.json": without(FLAN_T5_SMALL, "tie_word_embeddings"),
    "deepseek.json": DEEPSEEK_V3,
    "deep.json": DEEPSEEK_V3 | {"num_hidden_layers": 100_000},
    "mixtral.json": MIXTRAL_8X7B,
    "small.json": MIXTRAL | {"num_local_experts": 5, "num_experts_per_tok": 2},
    "wrong-experts.json": MIXTRAL | {"num_local_experts": 5, "num_experts_per_tok": 6},
    "labels.json": {
        **{"model_type": "bert", "architectures": ["BertForTokenClassification"]},
        "num_labels": 5,
    },
    "inside.json": {"model_type": "qwen3", "head_dim": 8},
    "outside.json": {"model_type": "qwen3", "head_dim": 4},
    "spec.json": SPEC,
    "gpt2.json": {
        **{"model_type": "gpt2", "n_embd": 96, "n_layer": 3, "n_head": 4, "n_positions": 50},
        "vocab_size": 700,
    },
    "mixture.json": derived(),
    "unlike.json": derived(*UNLIKE),
    "frozen.json": derived(tensor("a.weight", H, role="frozen")),
    "odd.json": derived(tensor("a_%$\x1b[2J.weight", H, H, aliases=("b\n",))),
    "many.json": derived(tensor("norm.weight", H), *EXPERTS),
    "doubt.json": derived(*MIXTURE.tensors, tensor("mask_emb", 1, H)),
    "no-size.json": {"family": "gpt", "hidden_size": 768},
    "other-field.json": {"family": "gpt", "\x9b2J" + "x" * 10**4: 1},
    "w/config.json": SMALL_MIXTRAL,
    "untied/config.json": T5 | {"tie_word_embeddings": False},
    "tied/config.json": T5,
    "encoder/config.json": spec_fields(ENCODER),
}
"""The JSON files that cases name."""

LOST = "model.layers.1.mlp.experts.2.w3.weight"
T5_STORED = in_memory(T5) | {"lm_head.weight": (20, 6)}


def experts_apart(shapes):
    """Return the tensors of a small Mixtral as files have them: one by one for each expert."""
    found = {name: shape for name, shape in shapes.items() if ".experts." not in name}
    for layer in range(2):
        for expert in range(3):
            for part, shape in {"w1": (6, 8), "w2": (8, 6), "w3": (6, 8)}.items():
                found[f"model.layers.{layer}.mlp.experts.{expert}.{part}.weight"] = shape
    return found


STORED = in_memory(SMALL_MIXTRAL)
CHANGED = {name: shape for name, shape in STORED.items() if name != "model.norm.weight"}
CHANGED["module.model.layers.1.self_attn.q_proj.bias"] = (8,)
WEIGHTS = {
    "w/right": STORED | {"model.rotary_emb.inv_freq": (1,)},
    "w/changed": CHANGED,
    "w/apart": experts_apart(STORED),
    "w/lost": {name: shape for name, shape in experts_apart(STORED).items() if name != LOST},
    "w/numbered": {f"x{n}.w": shape for n, shape in enumerate(STORED.values())},
    "w/prefixed": {f"base.{name}": shape for name, shape in STORED.items()},
    "untied/model": T5_STORED,
    "tied/model": T5_STORED,
    "encoder/forged": canonical(ENCODER)
    | {"\x1b[2J\x1b[H\nevery tensor is as the formula says\n": (2,)},
    "encoder/long": canonical(ENCODER) | {"x" * 10**6: (2,), "x." * 500 + "x": (3,)},
    "encoder/unknown": canonical(ENCODER)
    | {f"unknown.tensor_{n}.weight": (2,) for n in range(10**5)},
}
"""The files with weights that cases name, without their suffix, .safetensors."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return a folder with the files that cases name."""
    folder = tmp_path_factory.mktemp("commands")
    for name, keys in CONFIGS.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(json.dumps(keys), "utf-8")
    for name, shapes in WEIGHTS.items():
        write(folder / f"{name}.safetensors", shapes)
    (folder / "s").mkdir()
    sharded(folder / "s", GROUPED, 2)
    return folder


CASES = """
--help
--verbose
verify-it
count
count --help
count bert-base
count keras-bert-question
count transformer-one-layer
count transformer-base
count whisper --depth 1
count bert-base --depth 2
count bert-base --dtype float16
count bert-base bert-tiny --dtype float16 --depth 1
count qwen3-8b --depth 1 --buffers
count t5 --under without-embeddings
count t5 --under embeddings-only
count t5 --under without-embeddings --dtype bfloat16
count t5 --under without-embeddings --depth 1
count t5 --under without-embeddings --symbolic
count t5 --under without-embeddings --latex
count t5 --all-conventions --dtype int8
count qwen3-8b --all-conventions
count t5 --under without-embeddings --dtype bf16 --depth 1 --json
count bert-tiny --json
count gpt2 bert-tiny --symbolic
count gpt2 bert-tiny --latex
count starcoder2-7b --symbolic
count bert-base bert-large --depth 2
count llama-7b gpt2 bert-tiny --depth 2
COLUMNS=80 count bert-base bert-large gpt2 gpt2-xl gpt3-175b --depth 1
COLUMNS=80 count gpt3-175b --symbolic
COLUMNS=80 count gpt3-175b --all-conventions
COLUMNS=80 count gpt3-175b encoder-175b
count mixtral-8x7b --active
count mixtral-8x7b --active --symbolic
count deepseek-v3 --active --dtype bf16
count deepseek-v3 small.json --active
count gpt2 --active
count qwen3-8b --active
count qwen3-30b-a3b --active --json --depth 1
count deepseek.json
count deep.json --depth 2
count mixtral.json --class MixtralModel --depth 2
count labels.json --depth 1
count flan.json --depth 1
count tied.json --depth 1
count inside.json --depth 1
count outside.json --depth 1
count outside.json --symbolic
count outside.json --all-conventions
count outside.json outside.json --depth 1
count mixture.json
count mixture.json --depth 1
count mixture.json --symbolic
count mixture.json --latex
count mixture.json --all-conventions
count mixture.json bert-tiny --depth 3
count unlike.json
count frozen.json
count odd.json
count odd.json --latex
count many.json
count many.json mixture.json
count doubt.json --all-conventions
count doubt.json --under without-heads
count w/right.safetensors --depth 2 --dtype float32
count w/right.safetensors --under without-embeddings
count w/right.safetensors w/config.json --depth 1
count s
count s/model.safetensors.index.json
count s/model-00001-of-00002.safetensors
count s --symbolic
count s --active
count s --class LlamaModel
count s --html x.html
count wrong-experts.json --active
count '{"model_type": "longcat_flash"}' --active
count '{"model_type": "deepseek_v2"}' --active
count '{"model_type": "LLaMMA"}'
count resnett
count Brt-Base
count bert-base resnett
count bert-tiny --depth 0
count bert-tiny --dtype float61
count bert-tiny --dtype Q4_K_M
count bert-tiny --depth 1 --symbolic
count bert-tiny --dtype int8 --latex
count bert-tiny --active --under total
count gpt2 --active --depth 2
count gpt2 --latex --active
count --jsonl - --under total
count bert-tiny --symbolic --all-conventions
count bert-tiny --resume
count bert-tiny --jsonl lines.jsonl
count --json gpt2 bert-tiny
count - -
count absent.json
count 01-ai/Yi-6B
count https://huggingface.co/a/b/raw/main/config.json
count https://example.com/llama-3.1-8b
count folder/of/bert
count folder/config.json
count ''
count 'kein Modell'
count llama3.1:8b --depth 1
count bert-base --under no-bias
count bert-base --under total --under listed
count no-size.json
count other-field.json
count gpt2 bert-base --html x
count gpt2 --html x --symbolic
count gpt2 --html x --under total --under listed
count gpt2 --html nowhere/x
count gpt2 --html x --dtype int3
count gpt2 --html x --under y
diff --help
diff bert-base bert-large
diff bert-base gpt2
diff gpt2 gpt2
diff llama qwen3
diff MixtralModel MixtralForCausalLM
diff mixtral.json small.json --class MixtralModel
diff outside.json outside.json
diff bert-base bert-large --json
diff bert-base
diff bert-base bertt
diff - -
diff gpt2 s
explain --help
explain 335043584 bert-large
explain 335043584 bert-large --json
explain 109,000,001 bert-base
explain 109,000,001 bert-base --json
explain 109482240 gpt2
explain 117M
explain 117.7M
explain 685B deepseek-v3
explain 110M bert-base
explain 6,442,450,944 llama-7b
explain 77M flan.json
explain 76961152 flan.json
explain 60511616 flan.json
explain 11274289152 deepseek.json
explain 1000000007 outside.json
explain 1640960 spec.json
explain 488928 gpt2.json
explain 46571720704 mixtral.json --class MixtralModel
COLUMNS=80 explain 28339968
COLUMNS=80 explain 438MB
explain eleven
explain 0
explain
explain 110M resnett
explain 110M '{"hidden_size": 768}'
explain 110M bert-base --json .
explain 110M --json bert-base
explain 110M --class Qwen3Model
explain 110M bert-base --class BertModel
explain 5 s
explain 5 absent.json
models --help
models
models --family gpt,llama
models --family Encoder-Decoder --json
models --family lama
models --json nowhere/out.json
models gpt2
compare --help
compare w/right.safetensors
compare w/changed.safetensors
compare w/apart.safetensors
compare w/lost.safetensors
compare w/numbered.safetensors
compare w/prefixed.safetensors
compare w/changed.safetensors --json
compare untied/model.safetensors
compare tied/model.safetensors
compare encoder/forged.safetensors
compare encoder/long.safetensors
compare encoder/unknown.safetensors
compare s --model llama-7b
compare s
compare mine:model
compare mine.py
compare m:m --model absent.json
differences --help
differences
differences torch --framework Keras-TensorFlow
differences torch equinox mlx --component pooler
differences keras-jax keras-torch
differences torch paddle --component pooler --json
differences --component attn
differences torch theano
differences torch
differences torch Torch
derive --help
derive bert-base
derive bert --size hidden_size
derive bert --size hidden_size=3 --size hidden_size=4
derive bert --time-limit nan
frameworks --help
verify --help
verify --framework tensorlow
verify --family gtp
verify --family ''
verify --family gpt,
verify --model gpt
verify --examples -1
verify --examples many
verify --seed -1
verify --json nowhere/out.json
verify --json .
verify --prove --model bert-base --family gpt
verify --framwork x
verify --family llama --family encoder --model gpt2
site --help
site
"""

VERSION = re.compile(
    r"\b(torch|transformers|mlx-lm|mlx|keras|tensorflow|equinox|paddle|jax) \d[\w.+]*"
)
"""A library with its version."""


class OneFileACommand(AmberSnapshotExtension):
    """Keeps the outputs of a command in its own file, each under its line."""

    @classmethod
    def get_file_basename(cls, *, test_location, index):
        return command_of(test_location.item.callspec.params["line"])

    @classmethod
    def matches_test_location(cls, *, test_location, snapshot_location):
        line = test_location.item.callspec.params["line"]
        return Path(snapshot_location).stem == command_of(line)


def command_of(line):
    """Return the name of the command in a line, or "paramproof" for one without a command."""
    words = [word for word in shlex.split(line) if "COLUMNS=" not in word]
    return words[0] if words[0].isalpha() else "paramproof"


@pytest.mark.parametrize("line", CASES.strip().split("\n"))
def test_output(line, files, snapshot, paramproof, monkeypatch):
    words = shlex.split(line)
    columns = dict(word.split("=") for word in words[:1] if "COLUMNS=" in word)
    done = paramproof(*words[len(columns) :], cwd=files, **columns)
    said = [done.stdout] if done.stdout else []
    said += [f"--- status {done.returncode}\n"] if done.returncode else []
    said += [f"--- standard error\n{done.stderr}"] if done.stderr else []
    assert all(len(text) < 10**5 for text in said)
    assert all(sign.isprintable() for sign in "".join(said).replace("\n", ""))
    assert VERSION.sub(r"\1 VERSION", "".join(said)) == snapshot(extension_class=OneFileACommand)
    if "--json" in words and done.stdout:
        found = json.loads(done.stdout)
        assert_document(found, found["kind"])
