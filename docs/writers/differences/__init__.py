"""Write the page of framework differences, with its pitfalls."""
