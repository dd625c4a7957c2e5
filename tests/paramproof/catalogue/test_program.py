"""The reader of programs: every operation, every refusal, and modules, on files written by hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from paramproof.catalogue import program
from paramproof.catalogue.program import FORMAT, LIMIT, Catalogue, Refused
from paramproof.tracing.configuration import terms

LOWERED = {"accepts", "comp dict", "layers"}
"""Operations that are written as others."""


def folder(path, configurations, models=(), types=("toy",), blocks=()):
    """Write a folder with one file, whose expressions are nested lists; return its catalogue."""
    nodes, numbers = [], {}

    def node(one):
        if isinstance(one, dict):
            return {k: node(v) for k, v in one.items()}
        if one is None or isinstance(one, str | bool):
            return one
        written = [one[0], *map(node, one[1:])] if isinstance(one, list) else one
        key = json.dumps(written)
        if key not in numbers:
            numbers[key] = len(nodes)
            nodes.append(written)
        return numbers[key]

    def rules(data):
        found = {
            k: node(v) if k in ("fields", "refusals", "properties") else v for k, v in data.items()
        }
        return found | {"keys": [[node(of), *more] for of, *more in data.get("keys", ())]}

    def row(name, kind, what, when=True, *more):
        what = what if kind in ("block", "loop") else node(what)
        more = [more[0], *map(node, more[1:])] if kind == "loop" else more
        return [node(name), kind, what, node(when), *more]

    written = {
        "format": FORMAT,
        "configurations": {k: rules(v) for k, v in configurations.items()},
        "models": {k: {"block": v} if isinstance(v, int) else v for k, v in dict(models).items()},
        "blocks": [[row(*one) for one in rows] for rows in blocks],
    }
    written["models"] = {
        k: v | {"refusals": node(v.get("refusals", {}))} for k, v in written["models"].items()
    }
    written |= {"nodes": nodes, "varying": 0, "varying blocks": [*range(len(blocks))]}
    index = {
        "format": FORMAT,
        "types": dict.fromkeys(types, next(iter(configurations))),
        "configurations": dict.fromkeys(configurations, "file"),
        "models": dict.fromkeys(dict(models), "file"),
    }
    (path / "index.json").write_text(json.dumps(index), "utf-8")
    (path / "file.json").write_text(json.dumps(written), "utf-8")
    return Catalogue(path)


def part_of(path, fields, given=(), **more):
    catalogue = folder(path, {"Toy": {"fields": fields, **more}})
    return catalogue.configuration({"model_type": "toy", **dict(given)})


A, B = ["get", ["config"], "a"], ["get", ["config"], "b"]
ITEM, OTHER = ["item", "i"], ["item", "j"]
INNER = ["new", "Toy", ["dict", None, "inner", True, "b", 3, "id2label", ["dict", None, "0", "x"]]]
COPY = ["new", "Toy", ["dict", ["config"], "inner", True]]
RANGE = ["range", 0, A, 1]
SUMS = ["comp", "j", ["range", 0, ITEM, 1], ["+", ITEM, OTHER], True]
SUM_AND_LAST = ["list", ["+", ["state", "i", 0], ITEM], ["state", "i", 0]]

OPERATIONS = [
    (["config"], {"a": 1}, {"a": 1, "model_type": "toy"}),
    (["absent"], {}, program.ABSENT),
    (["opaque", A], {"a": 1}, ...),
    (["key", "k"], {}, 7),
    (["key", "k"], {"k": None}, None),
    (["has", ["config"], "a"], {}, False),
    (["has", ["config"], "a"], {"a": None}, True),
    (["has", A, "b"], {"a": ["b"]}, False),
    (["get", A, 1], {"a": [1, 2]}, 2),
    (["get or", A, "x", 9], {"a": {}}, 9),
    (["get or", A, "x", 9], {"a": {"x": None}}, None),
    (["if", A, 1, ["//", 1, 0]], {"a": True}, 1),
    (["if", A, ["//", 1, 0], 2], {"a": 0}, 2),
    (["or", ["truth", A], ["<", 1, A]], {"a": "x"}, True),
    (["or", ["is", A, None], ["<", 1, A]], {"a": 1}, False),
    (["not", A], {"a": 0}, True),
    (["and", ["truth", A], ["<", 1, A]], {"a": None}, False),
    (["and", ["truth", A], ["<", 1, A]], {"a": 2}, True),
    (["truth", A], {"a": []}, False),
    (["is", A, None], {"a": None}, True),
    (["is", A, True], {"a": 1}, False),
    (["==", A, 1.0], {"a": 1}, True),
    (["==", A, ["list", 1, "x"]], {"a": [1, "x"]}, True),
    (["<", A, 2], {"a": 1.5}, True),
    (["<=", A, 2], {"a": 2}, True),
    ([">", A, 2], {"a": 2}, False),
    ([">=", A, 2], {"a": 2}, True),
    (["in", A, ["list", "x", "y"]], {"a": "y"}, True),
    (["in", A, B], {"a": "y", "b": {"y": 0}}, True),
    (["any", A], {"a": [0, False]}, False),
    (["all", A], {"a": [1, []]}, False),
    (["isinstance", A, "int"], {"a": True}, True),
    (["isinstance", A, "object", "list"], {"a": "x"}, False),
    (["isinstance", A, "float", "text", "flag"], {"a": 1}, False),
    (["isinstance", COPY, "part"], {}, True),
    (["known", A], {"a": "toy"}, True),
    (["known", A], {"a": "boy"}, False),
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
    (["text", "x", A, True], {"a": 8}, "x8True"),
    (["list", A, None], {"a": 8}, [8, None]),
    (["range", 1, A, 2], {"a": 6}, [1, 3, 5]),
    (["slice", A, 1, None, None], {"a": [1, 2, 3]}, [2, 3]),
    (["slice", A, None, None, -1], {"a": "abc"}, "cba"),
    (["concat", A], {"a": [[1], [], [2, 3]]}, [1, 2, 3]),
    (["replaced", A, 1, 9], {"a": [1, 2, 3]}, [1, 9, 3]),
    (["replaced", A, -1, 9], {"a": [1, 2, 3]}, [1, 2, 9]),
    (["comp", "i", RANGE, ["*", ITEM, ITEM], ["<", 0, ITEM]], {"a": 4}, [1, 4, 9]),
    (["comp", "i", RANGE, SUMS, True], {"a": 3}, [[], [1], [2, 3]]),
    (["comp", "i", A, ["turn", "i"], True], {"a": ["x", "y"]}, [0, 1]),
    (["fold", "i", A, ["list", 0, 1], SUM_AND_LAST, 1], {"a": [1, 2, 4]}, 3),
    (["enumerate", A, 1], {"a": ["x", "y"]}, [[1, "x"], [2, "y"]]),
    (["zip", A, B], {"a": [1, 2], "b": "x"}, [[1, "x"]]),
    (["sorted", A], {"a": [2, 1]}, [1, 2]),
    (["len", A], {"a": {"x": 1}}, 1),
    (["sum", A], {"a": [1, 2]}, 3),
    (["prod", A], {"a": [2, 3]}, 6),
    (["max", A], {"a": [2, 3]}, 3),
    (["min", A], {"a": [2, 3]}, 2),
    (["set", A], {"a": [2, 3, 2]}, {2, 3}),
    (["dict", A, "x", 2, "y", ["absent"]], {"a": {"x": 1, "y": 2, "z": 3}}, {"x": 2, "z": 3}),
    (["merged", A, B], {"a": {"x": 1}, "b": {"x": 2, "y": 3}}, {"x": 2, "y": 3}),
    (["keys", A], {"a": {"x": 1}}, ["x"]),
    (["values", A], {"a": {"x": 1}}, [1]),
    (["items", A], {"a": {"x": 1}}, [["x", 1]]),
    (["from pairs", A], {"a": [["x", 1]]}, {"x": 1}),
    (["method", "split", A, "-"], {"a": "x-y"}, ["x", "y"]),
    (["field", INNER, "b"], {}, 3),
    (["field", INNER, "other_b"], {}, 3),
    (["field", INNER, "doubled"], {}, 6),
    (["field", ["with fields", INNER, "other_b", 5, "x", ["absent"]], "b"], {}, 5),
    (["has field", INNER, "nothing"], {}, False),
    (["has field", INNER, "doubled"], {}, True),
    (["get", ["fields", INNER], "b"], {}, 3),
    (["made by", INNER, "Toy"], {}, True),
    (["field", ["new", ["class of", "toy"], ["dict", None, "inner", True, "b", 4]], "b"], {}, 4),
    (["field", ["layer of", COPY, 1], "b"], {"per_layer_config": {"1": {"b": 8}}}, 8),
    (["field", ["layer of", COPY, 2], "b"], {"per_layer_config": {"1": {"b": 8}}, "b": 3}, 3),
    (["field", ["layer of", COPY, 0], "b"], {"b": 3}, 3),
    (["rope", ["config"]], {"rope_scaling": {"type": "yarn"}}, {"type": "yarn"}),
    (["rope", ["config"]], {"rope_parameters": None}, None),
    (["labels", ["config"]], {}, 2),
    (["labels", ["config"]], {"num_labels": 5}, 5),
    (["labels", INNER], {}, 1),
    (["field", ["self"], "k"], {"k": 4}, 4),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "keys", "value"), OPERATIONS, ids=repr)
def test_operation(tmp_path, expression, keys, value):
    rules = {
        "keys": [[True, {"k": 7}]],
        "aliases": {"other_b": "b"},
        "properties": {"doubled": ["*", 2, ["field", ["self"], "b"]]},
    }
    inner = ["has", ["config"], "inner"]
    found = part_of(tmp_path, {"found": ["if", inner, None, expression]}, keys, **rules).get(
        "found"
    )

    assert found == value
    assert type(found) is type(value)


def test_every_operation_is_tested_and_described():
    def names(one):
        return {one[0]}.union(*map(names, one[1:])) if isinstance(one, list) else set()

    tested = set().union(*(names(one) for one, *_ in OPERATIONS))

    assert tested == {*program.OPERATIONS, *program.LAZY}
    described = json.loads(Path("docs/operations.json").read_text())["operations"]
    assert tested == described.keys() - LOWERED
    assert terms.KINDS.keys() == described.keys() - {"or"}


@pytest.mark.parametrize(
    ("expression", "keys", "reason"),
    [
        (["//", 8, A], {"a": 0}, "ZeroDivisionError"),
        (["+", 8, A], {"a": "x"}, "TypeError"),
        (["get", A, 3], {"a": [1]}, "IndexError"),
        (A, {}, "KeyError"),
        (["int", A], {"a": "x"}, "ValueError"),
        (["method", "split", A], {"a": 3}, "AttributeError"),
        (["replaced", A, 4, 0], {"a": [1]}, "IndexError"),
        (["**", A, 5000], {"a": 10}, "OverflowError"),
    ],
)
def test_what_cannot_be_computed_names_the_field(tmp_path, expression, keys, reason):
    with pytest.raises(Refused, match=f"Toy: width cannot be computed .{reason}"):
        part_of(tmp_path, {"width": expression}, keys)


@pytest.mark.parametrize(
    ("expression", "keys", "reason"),
    [
        (RANGE, {"a": LIMIT + 1}, f"a list of {LIMIT + 1} items is too long"),
        (["*", ["list", 1, 2], A], {"a": LIMIT}, f"a list of {2 * LIMIT} items is too long"),
        (["*", A, "xx"], {"a": LIMIT}, f"a list of {2 * LIMIT} items is too long"),
        (["new", "Toy", A], {"a": 3}, "Toy is made of keys, not of 3"),
        (["new", "Boy", ["config"]], {}, "there is no program of Boy"),
        (["field", INNER, "nothing"], {}, "Toy has no nothing"),
    ],
)
def test_refusal_while_a_field_is_computed(tmp_path, expression, keys, reason):
    inner = ["has", ["config"], "inner"]

    with pytest.raises(Refused, match=reason):
        part_of(tmp_path, {"found": ["if", inner, None, expression]}, keys)


IS_INT = ["isinstance", ["item", "value"], "int"]


@pytest.mark.parametrize(
    ("keys", "reason"),
    [
        ({"a": "x", "b": 1}, "Toy: a may not be 'x'"),
        ({"a": 1}, "Toy has no b"),
        ({"a": 1, "b": 4}, "Toy: b is too large"),
        ({"a": 0, "b": 1}, r"Toy: b is too large cannot be computed \(ZeroDivisionError"),
    ],
)
def test_refused_keys(tmp_path, keys, reason):
    rules = {
        "keys": [[IS_INT, {"a": 3}, "b"]],
        "refusals": {"b is too large": ["<", 2, ["/", B, ["key", "a"]]]},
    }

    assert part_of(tmp_path, {}, {"b": 1}, **rules).get("a") == 3
    with pytest.raises(Refused, match=reason):
        part_of(tmp_path, {}, keys, **rules)


@pytest.mark.parametrize("kind", ["boy", None, 3, ["toy"]])
def test_unknown_model_type(tmp_path, kind):
    with pytest.raises(Refused, match="there is no program of the model type"):
        folder(tmp_path, {"Toy": {}}).configuration({"model_type": kind})


def test_another_format(tmp_path):
    catalogue = folder(tmp_path, {"Toy": {}})
    path = tmp_path / "file.json"
    path.write_text(path.read_text("utf-8").replace(f'"format": {FORMAT}', '"format": 1'), "utf-8")

    with pytest.raises(ValueError, match=r"file\.json has the format 1, not 2"):
        catalogue.configuration({"model_type": "toy"})


def test_fields_of_a_class_and_its_base(tmp_path):
    base = {
        "keys": [[True, {"a": 1, "b": 2, "c": 3}]],
        "fields": {"twice": ["*", 2, ["key", "a"]], "gone": 0},
        "refusals": {"a is 9": ["==", ["key", "a"], 9], "b is 9": ["==", ["key", "b"], 9]},
        "taken": ["eaten"],
        "properties": {"kind": "base"},
    }
    own = {"base": "Base", "keys": [[True, {"a": 5}]], "left out": ["c", "gone", "b is 9"]}
    own |= {"aliases": {"other_b": "b", "b": "b"}}
    catalogue = folder(tmp_path, {"Own": own, "Base": base})
    keys = {"model_type": "toy", "b": 9, "other_b": 3, "c": 8, "eaten": 1, "d": 4}

    assert catalogue.configuration(keys).fields() == {
        "a": 5,
        "b": 9,
        "twice": 10,
        "model_type": "toy",
        "d": 4,
    }
    assert catalogue.configuration(keys).field("kind") == "base"
    assert catalogue.configuration(keys).get("eaten") is program.ABSENT
    with pytest.raises(Refused, match="Own: a is 9"):
        catalogue.configuration({"model_type": "toy", "a": 9})


def model(path, blocks, given=(), **more):
    rules = {"Toy": {"keys": [[True, {"n": 2, "h": 3, "kinds": ["x", "y"]}]]}}
    catalogue = folder(path, rules, {"Model": {"block": len(blocks) - 1, **more}}, blocks=blocks)
    return catalogue.configuration({"model_type": "toy", **dict(given)})


H, N, KINDS = (["field", ["self"], name] for name in ("h", "n", "kinds"))
LAYERS = [
    [["weight", "trainable", ["list", H, 2]], ["bias", "frozen", ["list", H], ["==", ITEM, "x"]]],
    [["", "block", 0]],
    [[None, "block", 0]],
    [[None, "loop", 2, True, "i", KINDS, ["not", ["==", ITEM, "z"]]], [None, "block", 0]],
    [["layers", "block", 3], ["table", "buffer", None], ["mask", "temporary buffer", ["list", N]]],
]


def test_tensors_of_blocks_and_loops(tmp_path):
    blocks = [LAYERS[0], LAYERS[1], LAYERS[2], [LAYERS[3][0]], LAYERS[4]]
    part = model(tmp_path, blocks, {"kinds": ["z", "x", "y"]})

    assert [(one.path, one.shape, one.role) for one in part.tensors("Model")] == [
        ("layers.0.weight", (3, 2), "trainable"),
        ("layers.0.bias", (3,), "frozen"),
        ("layers.1.weight", (3, 2), "trainable"),
        ("table", None, "buffer"),
        ("mask", (2,), "temporary buffer"),
    ]
    assert part.count("Model") == {"trainable": 12, "frozen": 3, "buffer": 0, "temporary buffer": 2}


def test_names_go_on_after_a_loop(tmp_path):
    tensor = [["weight", "trainable", ["list", H]]]
    loop = [None, "loop", 1, True, "i", KINDS, True]
    nothing = [None, "loop", 1, ["<", H, 0], "i", KINDS, True]
    part = model(
        tmp_path, [tensor, [[None, "block", 0]], [loop, nothing, [None, "block", 0], loop]]
    )

    assert [one.path for one in part.tensors("Model")] == [f"{i}.weight" for i in range(5)]


def test_name_with_an_item(tmp_path):
    tensor = [[["text", "layer_", ITEM], "trainable", ["list", H]]]
    part = model(tmp_path, [tensor, [[None, "loop", 0, True, "i", KINDS, True]]])

    assert [one.path for one in part.tensors("Model")] == ["layer_x", "layer_y"]


def test_a_shared_tensor_counts_once(tmp_path):
    one = [["weight", "trainable", ["list", H], True, [0]]]
    each = [["weight", "trainable", ["list", H], True, [1, "i"]]]
    loops = [[None, "loop", 2, True, "i", KINDS, True], [None, "loop", 3, True, "i", KINDS, True]]
    blocks = [one, each, [[None, "block", 0]], [[None, "block", 1]], [*loops, *loops]]
    part = model(tmp_path, blocks)

    assert len({one.storage for one in part.tensors("Model")}) == 3
    assert len([*part.tensors("Model")]) == 8
    assert part.count("Model")["trainable"] == 9


@pytest.mark.parametrize(("shape", "count"), [([4, 5], 20), ([], 1), (7, 7)])
def test_shape_of_an_unknown_length(tmp_path, shape, count):
    part = model(tmp_path, [[["weight", "trainable", KINDS]]], {"kinds": shape})
    (tensor,) = part.tensors("Model")

    assert part.count("Model")["trainable"] == count
    assert tensor.shape == (tuple(shape) if isinstance(shape, list) else (shape,))


def test_nodes_of_the_base(tmp_path):
    catalogue = folder(tmp_path, {"Toy": {"fields": {"width": ["+", 1, 2]}}})
    path = tmp_path / "file.json"
    data = json.loads(path.read_text("utf-8"))
    base = {**data, "configurations": {}, "models": {}, "nodes": [["+", 1, 2], 8, 9]}
    (tmp_path / "base.json").write_text(json.dumps(base), "utf-8")
    data["configurations"]["Toy"]["fields"] = {"width": -1, "twice": 0}
    path.write_text(json.dumps({**data, "nodes": [["*", -1, -2]]}), "utf-8")
    part = catalogue.configuration({"model_type": "toy"})

    assert (part.field("width"), part.field("twice")) == (17, 136)


@pytest.mark.parametrize("size", [-1, 1.0, "x", None, True])
def test_wrong_size(tmp_path, size):
    part = model(tmp_path, [[["weight", "trainable", ["list", H]]]], {"h": size})

    with pytest.raises(Refused, match=r"cannot have the shape|cannot be computed"):
        part.count("Model")


def test_refusal_of_a_model(tmp_path):
    part = model(tmp_path, [[]], {"h": 4}, refusals={"h is even": ["==", ["%", H, 2], 0]})

    with pytest.raises(Refused, match="Model: h is even"):
        part.count("Model")
    with pytest.raises(Refused, match="there is no program of Other"):
        part.count("Other")


def test_a_refusal_is_not_forgotten(tmp_path):
    blocks = [[["weight", "trainable", ["list", H]], ["bias", "trainable", ["list", N]]]]
    part = model(tmp_path, blocks, {"n": -1})

    for _ in range(2):
        with pytest.raises(Refused):
            part.count("Model")


ALONE = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("program", sys.argv[1])
program = importlib.util.module_from_spec(spec)
sys.modules["program"] = program
spec.loader.exec_module(program)
catalogue = program.Catalogue(sys.argv[2])
counted = 0
for kind in catalogue.types:
    for name, file in catalogue.index["models"].items():
        if file == kind:
            try:
                part = catalogue.configuration({"model_type": kind})
                counted += part.count(name)["trainable"] > 0
            except program.Refused as error:
                print(f"{name}: {error}", file=sys.stderr)
print(counted, len(catalogue.index["models"]))
assert not [one for one in sys.modules if one.startswith(("paramproof", "torch", "numpy"))]
"""


def test_the_reader_alone_counts_every_class():
    path = Path(program.__file__)
    command = [sys.executable, "-I", "-S", "-c", ALONE, path, path.parent / "programs"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    counted, classes = map(int, done.stdout.split())

    assert classes > 1000
    assert counted > 0.85 * classes, done.stderr[-2000:]


def test_files_have_the_format_of_the_schema(tmp_path):
    here = Path(program.__file__).parent
    schema = Draft202012Validator(json.loads((here / "programs.schema.json").read_text("utf-8")))
    paths = [one for one in (here / "programs").glob("[a-c]*.json") if one.name != "index.json"][
        :40
    ]
    model(tmp_path, [[["weight", "trainable", KINDS]], LAYERS[1], LAYERS[3]])

    assert len(paths) == 40
    for path in [*paths, tmp_path / "file.json"]:
        schema.validate(json.loads(path.read_text("utf-8")))
