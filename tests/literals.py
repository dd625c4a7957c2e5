"""Numbers that stand beside the oracle: counted by others, or by hand, never by our formulas."""

TOTALS = {
    # Source 000 (google-research/bert, issue 656) prints this one, tensor by tensor.
    "bert-base-uncased": 109_482_240,
    # The same source prints 335,043,584: its layers lack the 4,096 of intermediate.bias.
    "bert-large-uncased": 335_141_888,
    "bert-base-cased": 108_310_272,
    "bert-large-cased": 333_579_264,
    "bert-base-chinese": 102_267_648,
    "bert-base-multilingual-cased": 177_853_440,
    "bert-tiny": 4_385_920,
    "ernie-1.0": 99_866_112,
    "keras-bert-question": 109_705_010,
    "encoder-175b": 174_755_291_136,
}

BERT_BASE_WITH_BOTH_HEADS = 110_106_428
BERT_BASE_LAYER = 7_087_872
ATTENTION_LAYER = 2_362_368
