"""``paramproof diff``, without a framework."""

import pytest

from paramproof import diff


def test_two_sizes_of_one_family(paramproof):
    done = paramproof("diff", "bert-base", "bert-large")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "total 109,482,240 335,141,888 +225,659,648" in lines
    assert lines[-4:] == [
        "same formula; the sizes differ: L 12 → 24, H 768 → 1,024, F 3,072 → 4,096",
        "L (num_hidden_layers): 12 → 24",
        "H (hidden_size): 768 → 1,024",
        "F (intermediate_size): 3,072 → 4,096",
    ]


def test_two_families(paramproof):
    done = paramproof("diff", "bert-base", "gpt2")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "embeddings.token_type_embeddings 1,536 - −1,536" in lines
    assert "embeddings.token_type_embeddings −1,536 0 −T·H" in lines
    assert "total 109,482,240 124,439,808 +14,957,568" in lines
    assert "total −592,128 +15,549,696 −H² − T·H − H" in lines
    assert lines[-5:] == [
        "structure, at the sizes of bert-base-uncased: −H² − T·H − H = −592,128",
        "sizes, V 30,522 → 50,257, P 512 → 1,024: +15,549,696",
        "V (vocab_size): 30,522 → 50,257",
        "P (max_position_embeddings): 512 → 1,024",
        "T (type_vocab_size): 2 → -",
    ]


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        (("gpt2", "gpt2"), ["same formula"]),
        # Kimi K2 is DeepSeek-V3 at other sizes: no structure makes any of its 355 billion more.
        (
            ("deepseek-v3", "kimi-k2"),
            [
                "same formula; the sizes differ: "
                "V 129,280 → 163,840, A 128 → 64, E 256 → 384, D 3 → 1"
            ],
        ),
        # One has F, and the other 4·H in its place, which are the same number.
        (
            ("gpt2", "GPT2LMHeadModel"),
            [
                "structure, at the sizes of gpt2: L·(8·H² − 2·H·F + 4·H − F) = 0: "
                "the formulas are equal there"
            ],
        ),
        (("llama", "LlamaModel"), ["structure, at the sizes of llama: −V·H = −131,072,000"]),
    ],
    ids=lambda pair: "-".join(pair) if isinstance(pair, tuple) else "",
)
def test_causes(pair, said):
    assert list(diff(*pair).causes()) == said


def test_refused(refused):
    assert "'bertt'" in refused("diff", "bert-base", "bertt")
    assert "- is standard input" in refused("diff", "-", "-")
