"""Configurations from public repositories, of other versions and other producers."""

from tests.configs import read

GPT2_MEDIUM, HATEBERT, SMOLLM, RELORA = read("GPT2_MEDIUM", "HATEBERT", "SMOLLM", "RELORA")

FOUND = {"gpt2-medium": GPT2_MEDIUM, "hatebert": HATEBERT, "smollm": SMOLLM, "relora": RELORA}
"""Each with its class."""

DIALOGPT, EARLY_ROBERTA, EARLY_BERT = read("DIALOGPT", "EARLY_ROBERTA", "EARLY_BERT")

UNNAMED = {
    "dialogpt": (DIALOGPT, "gpt2", "GPT2LMHeadModel"),
    "early-roberta": (EARLY_ROBERTA, "roberta", "RobertaModel"),
    "early-bert": (EARLY_BERT, "bert", "BertModel"),
}
"""Without ``model_type`` and class, which tests pass separately."""

ELECTRA, CDIAL_GPT = read("ELECTRA", "CDIAL_GPT")
