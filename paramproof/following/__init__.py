"""What follows from the tensors of a model: its bytes, adapters, caches, and parts on each rank.

Who knows the shape of each tensor in letters knows more than a total. Each module here answers one
question about a model of transformers, in numbers and, where there is a formula, in letters. It
names its convention where there is more than one truth, and refuses what it does not know.
"""
