"""Many configurations at once: a line in, a line out, in order; a bad line costs that line."""

import json
import sys
import tracemalloc

import pytest

from paramproof.bulk import AHEAD, LINES_AT_ONCE, count_line, count_lines, lines_of
from paramproof.catalogue import entry
from paramproof.sources import strict_json
from tests.configs import BERT, LLAMA
from tests.public_jsonl import public_configurations

KEYS = json.dumps(LLAMA).encode()


def test_a_line_is_counted_as_alone():
    body = count_line(7, KEYS)
    assert (body["kind"], body["line"], body["total"]) == ("line", 7, 8_030_261_248)
    assert body["active"] == body["total"]
    wrapped = json.dumps({"config": LLAMA, "source": "somewhere"}).encode()
    assert count_line(1, wrapped)["about"] == {"source": "somewhere"}
    assert count_line(1, wrapped)["total"] == 8_030_261_248


def test_active_parameters_of_experts():
    keys = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}
    for _ in range(2):
        body = count_line(1, json.dumps(keys).encode())
        assert (body["total"], body["active"]) == (46_702_792_704, 12_879_925_248)


def test_a_class_that_only_a_family_has():
    keys = {**BERT, "architectures": ["BertForNextSentencePrediction"]}
    assert count_line(1, json.dumps(keys).encode())["total"] == 109_483_778


@pytest.mark.parametrize(
    ("line", "kind", "key"),
    [
        (b"", "InvalidInput", None),
        (b"\xff", "InvalidInput", None),
        (json.dumps({**LLAMA, "hidden_size": "x"}).encode(), "InvalidInput", "hidden_size"),
        (b'{"model_type": "kimi_k2"}', "NotInCatalogue", "model_type"),
        (b'{"model_type": ["x"]}', "InvalidInput", "model_type"),
    ],
)
def test_a_bad_line_has_its_reason_in_its_place(line, kind, key):
    bodies = list(count_lines([KEYS, line, KEYS]))
    assert [body["line"] for body in bodies] == [1, 2, 3]
    assert bodies[1]["error"]["kind"] == kind
    assert bodies[1]["error"]["key"] == key
    assert bodies[0]["total"] == bodies[2]["total"]


def test_anything_else_is_an_error_of_its_line():
    for line in (b"[1]", b"{", b'{"model_type": "llama", "hidden_size": 1e999}', b"[" * 10_000):
        assert "reason" in count_line(1, line)["error"]


def test_the_order_is_kept_over_processes():
    number = LINES_AT_ONCE * (2 * AHEAD + 3) + 5
    layers = [1 + i % 50 for i in range(number)]
    lines = [json.dumps({**LLAMA, "num_hidden_layers": one}).encode() for one in layers]
    bodies = list(count_lines(lines, processes=2))
    assert [body["line"] for body in bodies] == list(range(1, number + 1))
    each = 218_112_000
    first = bodies[0]["total"]
    assert [body["total"] - first for body in bodies] == [each * (one - 1) for one in layers]


def test_lines_are_read_as_they_are_needed():
    read = []

    def lines():
        for i in range(LINES_AT_ONCE * 40):
            read.append(i)
            yield KEYS

    bodies = count_lines(lines(), processes=1)
    next(bodies)
    assert len(read) <= LINES_AT_ONCE * (AHEAD + 1)
    bodies.close()


def test_a_long_line_is_not_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr("paramproof.bulk.MAX_FILE_BYTES", 2000)
    assert strict_json.MAX_FILE_BYTES > 2000
    file = tmp_path / "lines"
    file.write_bytes(b"x" * 9000 + b"\n" + KEYS + b"\n")
    with file.open("rb") as lines:
        long, good = lines_of(lines)
    assert len(long) == 2001
    assert "error" in count_line(1, long)
    assert count_line(2, good)["total"] == 8_030_261_248


def test_public_configurations_are_counted_as_by_the_catalogue():
    lines = [json.dumps(one).encode() for one in public_configurations()]
    counted = 0
    for one, body in zip(public_configurations(), count_lines(lines, processes=2), strict=True):
        if "total" in body:
            counted += 1
            assert body["total"] == entry(one).count
    assert counted >= 362


def test_the_command(paramproof, tmp_path):
    lines = [KEYS, b"no json", KEYS]
    (tmp_path / "in.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    done = paramproof("count", "--jsonl", "in.jsonl")
    assert done.returncode == 2
    assert [json.loads(line)["line"] for line in done.stdout.splitlines()] == [1, 2, 3]
    assert "2 of 3" in done.stderr
    assert paramproof("count", "--jsonl", "absent.jsonl").returncode == 2
    assert paramproof("count", "--jsonl", "in.jsonl", "bert-base").returncode == 2


def test_a_run_goes_on_after_the_lines_that_are_done(paramproof, tmp_path):
    (tmp_path / "in.jsonl").write_bytes((KEYS + b"\n") * 5)
    whole = paramproof("count", "--jsonl", "in.jsonl", "--json", "out.jsonl")
    assert whole.returncode == 0, whole.stderr
    out = tmp_path / "out.jsonl"
    text = out.read_bytes()
    assert paramproof("count", "--jsonl", "in.jsonl", "--json", "out.jsonl").returncode == 2
    assert out.read_bytes() == text
    # Two whole lines, and a third that was cut off while it was written.
    cut = text.index(b"\n", text.index(b"\n") + 1) + 10
    out.write_bytes(text[:cut])
    done = paramproof("count", "--jsonl", "in.jsonl", "--json", "out.jsonl", "--resume")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes() == text
    assert "3 of 3" in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
def test_a_full_disk(paramproof, tmp_path):
    (tmp_path / "in.jsonl").write_bytes(KEYS + b"\n")
    (tmp_path / "full").symlink_to("/dev/full")
    done = paramproof("count", "--jsonl", "in.jsonl", "--json", "full")
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_memory_does_not_grow_with_the_input():
    lines = (KEYS + b" " * 2000 for _ in range(4000))
    tracemalloc.start()
    try:
        assert sum(1 for _ in count_lines(lines, processes=1)) == 4000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # All lines together are 10 MB.
    assert most < 3_000_000
