"""Claims: leases on issues."""

ISSUE = "issue:"
"""How the resource of an issue begins."""
