"""The documentation as a site: its pages, those of the model types, and a check of its links."""
