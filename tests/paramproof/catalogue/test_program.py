"""The reader of programs: every operation, every refusal, and modules, on files written by hand."""

import json
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy

import pytest
from jsonschema import Draft202012Validator

from docs.writers.blocks import PAGES
from paramproof.catalogue import program
from paramproof.catalogue.program import ABSENT, FORMAT, LIMIT, Catalogue, Refused

DATA = Path(program.__file__).parent / "programs"


def folder(path, configurations, models=(), base=()):
    """Write a folder with one file, whose nodes are nested lists; return its catalogue."""
    nodes = []

    def node(one):
        if one is None or isinstance(one, str | bool) or (isinstance(one, int) and one < 0):
            return one
        written = [one[0], *map(node, one[1:])] if isinstance(one, list) else one
        nodes.append(written)
        return len(nodes) - 1

    def rules(data):
        found = {"keys": [[node(check), *more] for check, *more in data.get("keys", ())]}
        for kind in ("fields", "properties"):
            found[kind] = {k: node(v) for k, v in data.get(kind, {}).items()}
        return {**data, **found, "refusals": [*map(node, data.get("refusals", ()))]}

    written = {"configurations": {k: rules(v) for k, v in configurations.items()}}
    written["models"] = {k: node(v) for k, v in dict(models).items()}
    files = {"file": written | {"nodes": nodes, "varying": 0}}
    files["base"] = {"nodes": [*base], "varying": len(base)}
    files["index"] = {"types": {"toy": next(iter(configurations))}}
    files["index"] |= {
        kind: dict.fromkeys(written[kind], "file") for kind in written if kind[0] in "cm"
    }
    for name, data in files.items():
        empty = {"format": FORMAT, "configurations": {}, "models": {}}
        (path / f"{name}.json").write_text(json.dumps(empty | data), "utf-8")
    return Catalogue(path)


def part_of(path, fields, given=(), **more):
    catalogue = folder(path, {"Toy": {"fields": fields, **more}})
    return catalogue.configuration({"model_type": "toy", **dict(given)})


def dictionary(*pairs):
    return ["dict", ["list", *(["list", *pair] for pair in pairs)]]


A, B = ["get", ["config"], "a"], ["get", ["config"], "b"]
ITEM, OTHER = ["item", "i"], ["item", "j"]
INNER = ["new", "Toy", dictionary(["inner", True], ["b", 3])]
COPY = ["new", "Toy", ["merged", ["config"], dictionary(["inner", True])]]
RANGE = ["range", 0, A, 1]
SUMS = ["comp", "j", ["range", 0, ITEM, 1], ["+", ITEM, OTHER], True]
SUM_AND_LAST = ["list", ["+", ["state", "i", 0], ITEM], ["state", "i", 0]]
HALF = ["//", 1, 0]

CASES = [
    (["config"], {"a": 1}, {"a": 1, "model_type": "toy"}),
    (["absent"], {}, ABSENT),
    (["opaque"], {}, ...),
    (["key", "k"], {}, 7),
    (["key", "k"], {"k": None}, None),
    (["has", ["config"], "a"], {"a": None}, True),
    (["has", A, "b"], {"a": ["b"]}, False),
    (["get", A, 1], {"a": [1, 2]}, 2),
    (["if", A, 1, HALF], {"a": True}, 1),
    (["if", A, HALF, 2], {"a": 0}, 2),
    (["or", ["truth", A], HALF], {"a": "x"}, True),
    (["and", ["truth", A], HALF], {"a": []}, False),
    (["not", A], {"a": 0}, True),
    (["is", A, True], {"a": 1}, False),
    (["is", A, None], {"a": None}, True),
    (["==", A, 1.0], {"a": 1}, True),
    (["==", A, ["list", 1, "x"]], {"a": [1, "x"]}, True),
    (["<", A, 2], {"a": 1.5}, True),
    (["<=", A, 2], {"a": 2}, True),
    ([">", A, 2], {"a": 2}, False),
    ([">=", A, 2], {"a": 2}, True),
    (["in", A, B], {"a": "y", "b": {"y": 0}}, True),
    (["any", A], {"a": [0, False]}, False),
    (["all", A], {"a": [1, []]}, False),
    (["isinstance", A, "int"], {"a": True}, True),
    (["isinstance", A, "float", "text", "flag"], {"a": 1}, False),
    (["made by", COPY], {}, True),
    (["made by", COPY, "Boy"], {}, False),
    (["made by", A], {"a": 1}, False),
    (["class of", A], {"a": "toy"}, "Toy"),
    (["class of", A], {"a": "boy"}, None),
    (["+", A, ["list", 2]], {"a": [1]}, [1, 2]),
    (["-", A, 2], {"a": 1}, -1),
    (["*", A, ["list", 2]], {"a": 2}, [2, 2]),
    (["/", A, 2], {"a": 4}, 2.0),
    (["//", A, 2], {"a": -3}, -2),
    (["%", A, 3], {"a": -1}, 2),
    (["**", A, 2], {"a": 3}, 9),
    (["**", A, 0.5], {"a": 4}, 2.0),
    (["&", A, 6], {"a": 3}, 2),
    (["|", A, 6], {"a": 3}, 7),
    (["neg", A], {"a": 3}, -3),
    (["abs", A], {"a": -3}, 3),
    (["int", A], {"a": -3.7}, -3),
    (["float", A], {"a": "inf"}, float("inf")),
    (["str", A], {"a": None}, "None"),
    (["round", A], {"a": 2.5}, 2),
    (["round", A, 1], {"a": 0.26}, 0.3),
    (["ceil", A], {"a": 1.1}, 2),
    (["floor", A], {"a": -1.1}, -2),
    (["sqrt", A], {"a": 9}, 3.0),
    (["log2", A], {"a": 8}, 3.0),
    (["isfinite", A], {"a": 8}, True),
    (["list", A, None], {"a": 8}, [8, None]),
    (["range", 1, A, 2], {"a": 6}, [1, 3, 5]),
    (["slice", A, 1, None, None], {"a": [1, 2, 3]}, [2, 3]),
    (["slice", A, None, None, ["neg", 1]], {"a": "abc"}, "cba"),
    (["replaced", A, 1, 9], {"a": [1, 2, 3]}, [1, 9, 3]),
    (["replaced", A, ["neg", 1], 9], {"a": [1, 2, 3]}, [1, 2, 9]),
    (["comp", "i", RANGE, ["*", ITEM, ITEM], ["<", 0, ITEM]], {"a": 4}, [1, 4, 9]),
    (["comp", "i", RANGE, SUMS, True], {"a": 3}, [[], [1], [2, 3]]),
    (["comp", "i", A, ["turn", "i"], True], {"a": ["x", "y"]}, [0, 1]),
    (["fold", "i", A, ["list", 0, 1], SUM_AND_LAST, 1], {"a": [1, 2, 4]}, 3),
    (["zip", A, B], {"a": [1, 2], "b": "x"}, [(1, "x")]),
    (["sorted", A], {"a": [2, 1]}, [1, 2]),
    (["len", A], {"a": {"x": 1}}, 1),
    (["sum", A], {"a": [1, 2]}, 3),
    (["sum", A, ["list"]], {"a": [[1], [], [2, 3]]}, [1, 2, 3]),
    (["prod", A], {"a": [2, 3]}, 6),
    (["max", A], {"a": [2, 3]}, 3),
    (["min", A], {"a": [2, 3]}, 2),
    (["set", A], {"a": [2, 3, 2]}, {2, 3}),
    (["merged", A, dictionary(["x", ["absent"]], ["y", 2])], {"a": {"x": 1}}, {"y": 2}),
    (["method", "split", A, "-"], {"a": "x-y"}, ["x", "y"]),
    (["field", INNER, "b"], {}, 3),
    (["field", INNER, "other_b"], {}, 3),
    (["field", INNER, "doubled"], {}, 6),
    (["field", ["updated", INNER, dictionary(["other_b", 5])], "doubled"], {}, 10),
    (["has field", INNER, "nothing"], {}, False),
    (["has field", INNER, "doubled"], {}, True),
    (["get", ["fields", INNER], "b"], {}, 3),
    (["field", ["self"], "k"], {"k": 4}, 4),
]  # fmt: skip
RULES = {
    "keys": [[None, {"k": 7}]],
    "aliases": {"other_b": "b"},
    "properties": {"doubled": ["*", 2, ["field", ["self"], "b"]]},
}
IN_MODULES = {"module", "tensor", "model", "tied", "refuse"}


@pytest.mark.parametrize(("expression", "keys", "value"), CASES, ids=repr)
def test_operation(tmp_path, expression, keys, value):
    found = ["if", ["has", ["config"], "inner"], None, expression]
    found = part_of(tmp_path, {"found": found}, keys, **RULES).get("found")

    assert found == value
    assert type(found) is type(value)


def test_every_operation_is_tested_and_described():
    def names(one):
        return {one[0]}.union(*map(names, one[1:])) if isinstance(one, list) else set()

    tested = IN_MODULES.union(*(names(one) for one, *_ in CASES))

    assert tested == {*program.OPERATIONS, *program.LAZY}
    page = PAGES["catalogue"].read_text("utf-8").partition("## Operations")[2].replace("\\|", "|")
    assert tested == {*re.findall(r"^\| `(.+?)` \|", page, re.MULTILINE)}


@pytest.mark.parametrize(
    ("expression", "keys", "reason"),
    [
        (["//", 8, A], {"a": 0}, "ZeroDivisionError"),
        (["+", 8, A], {"a": "x"}, "TypeError"),
        (["get", A, 3], {"a": [1]}, "IndexError"),
        (A, {}, "KeyError"),
        (["method", "split", A], {"a": 3}, "AttributeError"),
        (["field", A, "b"], {"a": {"b": 1}}, "AttributeError"),
        (["has field", A, "b"], {"a": {"b": 1}}, "AttributeError"),
        (["updated", A, A], {"a": {"b": 1}}, "AttributeError"),
        (["**", A, 5000], {"a": 10}, "OverflowError"),
        (RANGE, {"a": LIMIT + 1}, f"a list of {LIMIT + 1} items is too long"),
        (["*", A, "xx"], {"a": LIMIT}, f"a list of {2 * LIMIT} items is too long"),
        (["new", "Toy", A], {"a": 3}, "TypeError"),
        (["new", "Boy", ["config"]], {}, "KeyError"),
    ],
)
def test_what_cannot_be_computed_names_the_field(tmp_path, expression, keys, reason):
    with pytest.raises(Refused, match=f"width cannot be computed: .*{reason}"):
        part_of(tmp_path, {"width": expression}, keys)


IS_INT = ["if", ["isinstance", ["item", "value"], "int"], None, "must be int"]
LARGE = ["refuse", ["<", 2, ["/", B, ["key", "a"]]], "b is too large", "b a"]
ABSENT_B = ["refuse", ["not", ["has", ["config"], "b"]], "b is required", "b"]


@pytest.mark.parametrize(
    ("keys", "reason", "kind", "values"),
    [
        ({"a": "x", "b": 1}, "must be int", "type", {"a": "x"}),
        ({"a": 1}, "b is required", "raised", {"b": ABSENT}),
        ({"a": 1, "b": 4}, "b is too large", "raised", {"b": 4, "a": 1}),
        ({"b": 8}, "b is too large", "raised", {"b": 8, "a": 3}),
        ({"a": 0, "b": 1}, "a condition cannot be computed", "limit", {"b": 1, "a": 0}),
    ],
)
def test_refused_keys(tmp_path, keys, reason, kind, values):
    rules = {"keys": [[IS_INT, {"a": 3}, "b"]], "refusals": [ABSENT_B, LARGE]}
    keys = {"model_type": "toy", **keys}
    inner = ["if", ["has", ["config"], "inner"], ["new", "Toy", ["key", "inner"]], 0]
    catalogue = folder(tmp_path, {"Toy": rules, "Outer": {"fields": {"inner": inner}}})
    with pytest.raises(Refused) as caught:
        catalogue.configuration(keys)
    assert caught.value.reason.startswith(reason)
    assert (caught.value.kind, caught.value.keys) == (kind, values)
    catalogue.types["outer"] = "Outer"
    with pytest.raises(Refused) as caught:
        catalogue.configuration({"model_type": "outer", "inner": keys})
    assert caught.value.keys == {f"inner.{name}": value for name, value in values.items()}
    assert caught.value.kind == kind


@pytest.mark.parametrize("kind", ["boy", None, 3, ["toy"]])
def test_unknown_model_type(tmp_path, kind):
    with pytest.raises(Refused) as caught:
        folder(tmp_path, {"Toy": {}}).configuration({"model_type": kind})
    assert caught.value.keys == {"model_type": kind}


def test_another_format(tmp_path):
    folder(tmp_path, {"Toy": {}})
    path = tmp_path / "index.json"
    path.write_text(path.read_text("utf-8").replace(f'"format": {FORMAT}', '"format": 2'), "utf-8")

    with pytest.raises(ValueError, match=r"has the format 2, not 3"):
        Catalogue(tmp_path)


def test_fields_of_a_class_and_its_base(tmp_path):
    base = {
        "keys": [[None, {"a": 1, "b": 2}]],
        "fields": {"twice": ["*", 2, ["key", "a"]], "c": 0},
        "refusals": [["refuse", ["==", ["key", "a"], 9], "a is 9", "a"]],
        "taken": ["eaten"],
        "properties": {"kind": "base"},
    }
    own = {"base": "Base", "keys": [[None, {"a": 5, "c": 1}]], "fields": {"c": ["key", "c"]}}
    own |= {"aliases": {"other_b": "b", "b": "b"}}
    catalogue = folder(tmp_path, {"Own": own, "Base": base}, base=[["+", 1, 2]])
    keys = {"model_type": "toy", "b": 9, "other_b": 3, "eaten": 1, "d": 4}
    part = catalogue.configuration(keys)

    assert part.values == {"a": 5, "b": 9, "twice": 10, "c": 1, "model_type": "toy", "d": 4}
    assert part.field("kind") == "base"
    assert part.get("eaten") is ABSENT
    with pytest.raises(Refused, match="a is 9"):
        catalogue.configuration({"model_type": "toy", "a": 9})


def model(path, node, given=(), base=(), **more):
    rules = {"Toy": {"keys": [[None, {"n": 2, "h": 3, "kinds": ["x", "y"]}]], **more}}
    catalogue = folder(path, rules, {"Model": node, "Part": PART}, base)
    return catalogue.configuration({"model_type": "toy", **dict(given)})


H, N, KINDS = (["field", ["self"], name] for name in ("h", "n", "kinds"))
WEIGHT = ["tensor", "trainable", ["list", H, 2]]
PART = ["module", "a", True, ["tensor", "trainable", ["list", H], ["list", 0]]]
PART += ["b", True, ["tensor", "trainable", ["list", H], ["list", 0]], "c", True, WEIGHT]
LAYER = ["module", "weight", True, WEIGHT, "bias", ["==", ITEM, "x"], ["tensor", "frozen", H]]


def loop(child, kept=True):
    return ["comp", "i", KINDS, ["module", None, True, child], kept]


def test_tensors_of_modules_and_loops(tmp_path):
    layers = ["module", "", True, loop(LAYER, ["not", ["==", ITEM, "z"]]), None, True, PART]
    node = ["module", "layers", True, layers, "table", True, ["tensor", "buffer", None]]
    node += ["mask", True, ["tensor", "temporary buffer", ["list"]], "no", False, WEIGHT]
    part = model(tmp_path, node, {"kinds": ["z", "x", "y"]})

    assert [(one.path, one.shape, one.role) for one in part.tensors("Model")] == [
        ("layers.0.weight", (3, 2), "trainable"),
        ("layers.0.bias", (3,), "frozen"),
        ("layers.1.weight", (3, 2), "trainable"),
        ("layers.2.a", (3,), "trainable"),
        ("layers.2.b", (3,), "trainable"),
        ("layers.2.c", (3, 2), "trainable"),
        ("table", None, "buffer"),
        ("mask", (), "temporary buffer"),
    ]
    assert part.count("Model") == {"trainable": 21, "frozen": 3, "buffer": 0, "temporary buffer": 1}


@pytest.mark.parametrize(("storage", "count"), [([0], 6), ([0, ["turn", "i"]], 12)])
def test_tensors_of_one_storage_count_once(tmp_path, storage, count):
    shared = ["tensor", "trainable", ["list", H, 2], ["list", *storage]]
    part = model(tmp_path, ["module", "", True, loop(["module", "a", True, shared])])

    assert part.count("Model")["trainable"] == count
    assert len({one.storage for one in part.tensors("Model")}) == count // 6


def test_model_of_a_part(tmp_path):
    inner = ["model", ["updated", ["self"], dictionary(["h", 5])], "Auto", ["list", 7]]
    node = ["module", "one", True, inner, "head", True, ["tied", inner, "c"]]
    part = model(tmp_path, node, models={"Auto": "Part"})

    tensors = {one.path: one for one in part.tensors("Model")}
    assert [*tensors] == ["one.a", "one.b", "one.c", "head"]
    assert tensors["one.c"].storage == tensors["head"].storage
    assert part.count("Model")["trainable"] == 5 + 10
    node = ["module", "head", True, ["tied", inner, "x"]]
    with pytest.raises(Refused, match="KeyError"):
        model(tmp_path, node, models={"Auto": "Part"}).count("Model")


def test_nodes_of_the_base(tmp_path):
    node = ["module", "a", True, ["tensor", "trainable", ["list", -1]]]
    part = model(tmp_path, node, base=[["*", -2, -2], 4])

    assert part.count("Model")["trainable"] == 16


@pytest.mark.parametrize("size", [-1, 1.0, "x", None, True])
def test_wrong_size(tmp_path, size):
    part = model(tmp_path, ["module", "weight", True, WEIGHT], {"h": size})

    with pytest.raises(Refused, match=r"the size of Model cannot be computed"):
        part.count("Model")


def test_refusal_of_a_model(tmp_path):
    even = ["refuse", ["==", ["%", H, 2], 0], "h is even", "h"]
    part = model(tmp_path, ["module", "", True, even, "weight", True, WEIGHT], {"h": 4})

    for _ in range(2):
        with pytest.raises(Refused, match="h is even") as caught:
            part.count("Model")
    assert caught.value.keys == {"h": 4}


UNCOUNTED = """
    autoformer aya_vision bark chameleon cohere_compass cohere_compass_text dbrx deepseek
    deepseek_ocr2 diffusion_gemma dots1 edgetam edgetam_vision_model emu3 esm fast_vlm
    gemma3n_vision granite4_vision granite_swa granitemoe_swa hunyuan_v1_dense hunyuan_v1_moe
    hunyuan_vl hunyuan_vl_text informer internlm2 iquestloopcoder levit lfm2_moe mimo ministral
    moonshine_streaming nanbeige nemotron perception_lm phi3small plamo pp_ocrv5_server_det
    pp_ocrv6_medium_det qwen3_omni_moe qwen4_exp qwen4_exp_text rwkv7 t5gemma2_encoder telechat3
    time_series_transformer xverse zamba zamba2
"""
"""Files none of whose classes is counted at the defaults."""

ALONE = """
import sys
sys.path.insert(0, sys.argv[1])
import program
catalogue = program.Catalogue("data")
counted = set()
for name, file in catalogue.index["models"].items():
    try:
        if catalogue.configuration({"model_type": file}).count(name)["trainable"]:
            counted.add(file)
    except program.Refused:
        pass
files = catalogue.index["models"]
print(len(files), *sorted({*files.values()} - counted))
assert not {*sys.modules} & {"paramproof", "torch", "numpy"}
"""


def test_the_reader_alone_counts_every_class(tmp_path):
    copy(program.__file__, tmp_path)
    (tmp_path / "data").symlink_to(DATA)
    command = [sys.executable, "-I", "-S", "-c", ALONE, tmp_path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1579", *UNCOUNTED.split()]


def test_files_have_the_format_of_the_schema(share):
    schema = Draft202012Validator(json.loads(DATA.with_suffix(".schema.json").read_text("utf-8")))
    paths = sorted({*DATA.glob("*.json")} - {DATA / "index.json"})
    for path in [*share.part(paths), DATA / "base.json"]:
        schema.validate(json.loads(path.read_text("utf-8")))
