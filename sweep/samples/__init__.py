"""Configurations, drawn or published, whose counts are compared with built models."""
