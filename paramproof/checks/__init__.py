"""One model, built by one framework and compared with the formula."""
