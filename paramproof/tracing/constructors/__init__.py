"""The constructors that can be traced: functions, and classes of transformers."""
