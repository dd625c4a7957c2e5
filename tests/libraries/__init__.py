"""Constructors of other libraries, derived and compared with the models that they build."""
