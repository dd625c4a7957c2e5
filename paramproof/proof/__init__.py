"""Every size at once: by interpolation of totals, and by reading shapes."""
