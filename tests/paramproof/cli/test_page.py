"""``count --html`` and ``site``."""

import socket
import threading
import urllib.request
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from paramproof.cli.site import NEEDED, server_of


class Elements(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_a_model_as_one_file(paramproof, tmp_path):
    file = tmp_path / "bert.html"
    options = ("--dtype", "bfloat16", "--under", "without-embeddings")
    done = paramproof("count", "bert-base", "--html", str(file), *options)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    text = file.read_text("utf-8")
    assert ">85,646,592</output>" in text
    assert "bfloat16, 2 bytes each: 171,293,184 bytes" in text
    assert "L·(4·H² + 2·H·F + 9·H + F)" in text
    # It refers to nothing, and its policy forbids loading anything.
    elements = Elements(text).found
    assert not [one for one in elements if {"src", "srcset"} & one[1].keys() or one[0] == "link"]
    (policy,) = (one["content"] for _, one in elements if one.get("http-equiv"))
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "<script" not in text
    # Each component's link leads to its picture on the page, and one to the evidence.
    leads = {unquote(one["href"][1:]) for one in (e[1] for e in elements) if "href" in one}
    assert {"at-", "at-layers", "at-embeddings"} < leads
    places = {unquote(one["id"]) for _, one in elements if "id" in one}
    assert leads == {one for one in places if one.startswith("at-")} | {"evidence-heading"}
    assert "evidence-heading" in places


def test_the_file_goes_to_standard_output(paramproof):
    done = paramproof("count", "gpt2", "--html", "-")
    assert done.stdout.startswith("<!doctype html><html")


def test_a_folder_that_is_not_a_built_site(refused, tmp_path):
    (tmp_path / "index.html").touch()
    assert "paramproof.whl is missing" in refused("site", str(tmp_path))


@pytest.fixture
def site(tmp_path):
    for name in NEEDED:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


def test_a_site_is_served_only_to_this_machine(site):
    (site / "a.mjs").touch()
    with server_of(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        assert server.server_address[0] == "127.0.0.1"
        types = {
            "index.html": "text/html",
            "a.mjs": "text/javascript",
            NEEDED[-1]: "application/wasm",
        }
        for name, kind in types.items():
            url = f"http://127.0.0.1:{server.server_port}/{name}"
            with urllib.request.urlopen(url, timeout=10) as found:
                assert found.headers["content-type"] == kind
        server.shutdown()


def test_a_port_in_use_is_one_line(site):
    with server_of(site) as server, pytest.raises(ValueError, match=r"port \d+ cannot be served"):
        server_of(site, server.server_port)


def test_a_reader_may_leave(site, capfd):
    (site / "large").write_bytes(bytes(2**24))
    with server_of(site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for _ in range(3):
            with socket.create_connection(server.server_address, timeout=10) as reader:
                reader.sendall(b"GET /large HTTP/1.0\r\n\r\n")
                assert reader.recv(10)
        with urllib.request.urlopen(f"http://127.0.0.1:{server.server_port}/", timeout=10) as found:
            assert found.status == 200
        server.shutdown()
    # The context has waited for the threads.
    assert capfd.readouterr().err == ""
