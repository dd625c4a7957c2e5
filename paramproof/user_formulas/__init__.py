"""Check a user-supplied formula against the frameworks.

A reference MODULE:FUNCTION names the formula. Its module is imported and the function called;
nothing else in the module is used.
"""
