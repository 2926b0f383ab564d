"""jit: leases for files, issues and documents, so that many agents can share one repository."""

__version__ = "0.1.0"
