"""Things that make a model: functions, and classes of transformers."""
