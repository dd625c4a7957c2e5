"""The weights of a live model of any framework, by what the framework itself says."""
