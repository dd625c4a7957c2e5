"""One model as data: its tree, letters, conventions, active part and bytes."""
