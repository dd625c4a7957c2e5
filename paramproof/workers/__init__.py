"""Every framework in a process of its own."""
