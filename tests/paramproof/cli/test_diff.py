"""``paramproof diff`` for models with a family, without a framework."""


def test_two_sizes_of_one_family(paramproof):
    done = paramproof("diff", "bert-base", "bert-large")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "total 0 109,482,240 335,141,888 +225,659,648" in lines
    first = lines.index("L (num_hidden_layers): 12 in bert-base-uncased, 24 in bert-large-uncased")
    assert " ".join(lines[first + 1 : -1]) == (
        "H (hidden_size): 768 in bert-base-uncased, 1,024 in bert-large-uncased "
        "F (intermediate_size): 3,072 in bert-base-uncased, 4,096 in bert-large-uncased"
    )


def test_two_families(paramproof):
    done = paramproof("diff", "bert-base", "gpt2")
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "embeddings.token_type_embeddings −T·H 1,536 - −1,536" in lines
    assert "total −H² − T·H − H 109,482,240 124,439,808 +14,957,568" in lines
    assert "T (type_vocab_size): 2 in bert-base-uncased, - in gpt2" in lines


def test_equal_models(paramproof):
    done = paramproof("diff", "gpt2", "gpt2")
    assert done.returncode == 0
    assert not [line for line in done.stdout.splitlines() if " in gpt2" in line]


def test_refused(refused):
    assert "'bertt'" in refused("diff", "bert-base", "bertt")
    assert "- is standard input" in refused("diff", "-", "-")
