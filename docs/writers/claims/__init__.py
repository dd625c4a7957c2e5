"""What others have published about the size of models, number by number, with verdicts."""
