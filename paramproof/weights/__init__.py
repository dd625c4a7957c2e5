"""Values: canonical arrays, carried between frameworks and files."""
