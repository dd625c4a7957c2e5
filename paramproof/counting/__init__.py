"""What is said of one model: its tree, letters, conventions, active part and bytes, as data."""
