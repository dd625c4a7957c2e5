"""What others bring: a formula that is held to the frameworks, a model that is held to ours.

A formula or a model is named as MODULE:FUNCTION. Its module is imported, which cannot be
avoided, and the function called; nothing else of it is.
"""
