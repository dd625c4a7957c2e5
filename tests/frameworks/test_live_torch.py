"""Live models of PyTorch with their own names, and the documentation's examples."""

import re
from dataclasses import replace

import pytest

from tests.frameworks.live_torch import encoder, with_head
from tests.literals import TOTALS
from tests.plugin import DOCUMENT, example, run_pytest
from tests.specs import LIVE_ENCODER as SPEC

pytestmark = pytest.mark.framework("torch")


def report_on(model, spec=SPEC):
    from paramproof import compare

    return compare(model, spec)


def test_equal():
    report = report_on(encoder())
    assert report.equal, report.render()
    assert report.frozen == 0


def test_a_state_dict_is_not_a_model():
    with pytest.raises(ValueError, match=r"ln_1\.weight is a PyTorch tensor: a state_dict also"):
        report_on(encoder()["h"][0].ln_1.state_dict(prefix="ln_1."))


def test_on_the_meta_device_at_real_size():
    import torch
    from torch import nn

    from paramproof.formulas.models import named_model

    with torch.device("meta"):
        tables = [nn.Embedding(rows, 768) for rows in (30522, 512, 2)]
        layers = [nn.TransformerEncoderLayer(768, 12, 3072) for _ in range(12)]
        model = nn.ModuleList([*tables, *layers, nn.LayerNorm(768), nn.Linear(768, 768)])
    report = report_on(model, named_model("bert-base").spec)
    assert (report.equal, report.actual) == (True, TOTALS["bert-base-uncased"])


def test_tied_parameters_count_once():
    spec = replace(SPEC, mlm_head=True)
    net = with_head()
    assert report_on(net, spec).difference == 31 * 12
    net["lm"][2].weight = net["tok"].weight
    report = report_on(net, spec)
    assert report.equal, report.render()
    assert "one storage, counted once: tok.weight, lm.2.weight" in report.render().splitlines()


def test_frozen():
    net = encoder()
    net["h"][1]["up"].bias.requires_grad_(False)
    report = report_on(net)
    assert (report.difference, report.frozen) == (-20, 20)
    (row,) = report.rows
    assert (row.kind, row.native, row.difference) == ("wrong trainability", "h.1.up.bias", -20)
    assert row.path == "layers.*.feed_forward.intermediate.bias"


def test_a_layer_shared():
    net = encoder()
    net["h"][1] = net["h"][0]
    report = report_on(net)
    assert -report.difference == sum(p.numel() for p in net["h"][0].parameters())


def test_not_built():
    from torch import nn

    net = encoder()
    net["cls"] = nn.LazyLinear(12)
    with pytest.raises(ValueError, match=r"ModuleDict is not built: cls.weight has no shape yet"):
        report_on(net)
    with pytest.raises(ValueError, match="ModuleList is empty: it has no weights"):
        report_on(nn.ModuleList())


def test_the_documentation(tmp_path):
    """Run both of its tests in one process, which imports no other framework."""
    source = example("test_encoder.py").replace("from torch", "import sys\n\nfrom torch")
    source += "    assert not {'keras', 'tensorflow', 'jax', 'flax'} & set(sys.modules)\n"
    (tmp_path / "test_calculator.py").write_text(example("test_calculator.py"))
    (tmp_path / "test_encoder.py").write_text(source)
    done = run_pytest(tmp_path)
    assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout


def test_the_documented_decoders(paramproof, tmp_path):
    (tmp_path / "decoders.py").write_text(example("decoders.py"))
    torch = ("--framework", "torch")
    done = paramproof("verify", "--formula", "decoders:gpt2", "--model", "gpt2", *torch)
    assert "26 of 26 models have the count of decoders:gpt2\n" in done.stdout, done.stderr
    transcript = r"\$ paramproof (verify --formula decoders:llama .*)\n    (.*\n)    (.*\n)"
    asked, *lines = re.search(transcript, DOCUMENT.read_text("utf-8")).groups()
    done = paramproof(*asked.split(), *torch)
    assert done.returncode == 1, done.stderr
    assert "".join(lines) in done.stdout


def test_the_documented_model_broken(tmp_path):
    broken = example("test_encoder.py").replace("nn.Linear(12, 12)]", "nn.Linear(12, 13)]")
    (tmp_path / "test_encoder.py").write_text(broken)
    done = run_pytest(tmp_path)
    assert done.returncode == 1
    assert re.search(r"  5\.weight is unexpected: \(13, 12\)", done.stdout)
