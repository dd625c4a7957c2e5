"""Follow code with unknown values, and keep what it makes of them as expressions.

The code is that of configuration classes, of model classes, and of functions that make a module.
"""
