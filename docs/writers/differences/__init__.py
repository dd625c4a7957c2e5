"""The page of framework differences, and its ten pitfalls."""
