"""What each command prints, as a whole: the outputs are files to read, one for each command.

A case is a line of ``commands.txt``, and the files that it names are in ``CONFIGS`` and
``WEIGHTS``. Its output, status and errors are in ``__snapshots__``, in the file of its command,
without versions, times and memory. ``pytest tests/paramproof/cli/test_commands.py
--snapshot-update`` writes the output of a case that is new or has changed: read the diff, since
nothing else does.
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
from tests.fixtures import copy_module
from tests.specs import B16

SPEC = {
    **{"vocab_size": 50_000, "hidden_size": 640, "num_hidden_layers": 7, "type_vocab_size": 1},
    **{"num_attention_heads": 10, "intermediate_size": 2_000, "max_position_embeddings": 300},
}
MIXTRAL = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"], "num_hidden_layers": 3}
UNLIKE = (tensor("h.*.weight", H, H), tensor("h.*.weight", 3, H), tensor("h.*.bias", 3))
EXPERTS = [tensor(f"mlp.expert_{number}.weight", H) for number in range(400)]


def derived(*tensors):
    """Return the document of a derivation, with other tensors."""
    one = with_tensors(*tensors) if tensors else MIXTURE
    return document("derivation", derivation_data(one))


CONFIGS = {
    "flan.json": FLAN_T5_SMALL,
    "tied.json": without(FLAN_T5_SMALL, "tie_word_embeddings"),
    "deepseek.json": DEEPSEEK_V3,
    "deep.json": DEEPSEEK_V3 | {"num_hidden_layers": 5_000},
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
    "b16.json": B16,
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
    for name in ("family_formulas", "user_formulas"):
        copy_module(folder, name)
    return folder


CASES = [
    line
    for line in Path(__file__).with_name("commands.txt").read_text("utf-8").split("\n")
    if line and not line.startswith("#")
]

VERSION = re.compile(
    r"\b(torch|transformers|mlx-lm|mlx|keras|tensorflow|equinox|paddle|jax|numpy|toy|wrong|broken)"
    r" \d[\w.+]*(?: +(?= ))?"
)
"""A library with its version, and all but one of the spaces that fill its cell."""

MEASURED = re.compile(r"(?m) {2,}(?:ms +MB|seconds|[\d,]*\.\d(?: +[\d,]+)?)$|(?<=─)─+")
"""In tables of ``verify``, times and memory, and lines that are as wide as they are."""


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


@pytest.mark.parametrize("line", CASES, ids=str)
def test_output(line, files, snapshot, paramproof, request):
    words = shlex.split(line)
    if plugin := re.search(r"mixer|toy|b16", line):
        request.getfixturevalue("outsider" if plugin[0] == "toy" else "mixer")
    columns = dict(word.split("=") for word in words[:1] if "COLUMNS=" in word)
    done = paramproof(*words[len(columns) :], cwd=files, **columns)
    said = [done.stdout] if done.stdout else []
    said += [f"--- status {done.returncode}\n"] if done.returncode else []
    said += [f"--- standard error\n{done.stderr}"] if done.stderr else []
    assert all(len(text) < 10**5 for text in said)
    assert all(sign.isprintable() for sign in "".join(said).replace("\n", ""))
    text = VERSION.sub(r"\1 VERSION", "".join(said))
    text = MEASURED.sub("", text) if words[0] == "verify" else text
    assert text == snapshot(extension_class=OneFileACommand)
