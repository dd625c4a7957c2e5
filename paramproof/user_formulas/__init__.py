"""Check a user-supplied formula against the frameworks.

A formula is named as MODULE:FUNCTION. Its module is imported, which cannot be avoided, and the
function called; nothing else of it is.
"""
