"""Constructors of other libraries, derived and compared with what these build."""
