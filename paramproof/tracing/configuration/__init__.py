"""Follow code with unknown values, and keep its results as expressions.

The code is that of configuration classes, of model classes, and of functions that make a module.
"""
