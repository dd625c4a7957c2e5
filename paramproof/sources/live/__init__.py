"""Read the weights of a live model of any framework, as the framework itself lists them."""
