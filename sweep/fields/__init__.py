"""What a configuration class does with its keys, and what a model does with its fields."""
