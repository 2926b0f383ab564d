"""jit: leases for files, issues and documents, so that many agents can share one repository."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jit.leasing import lease_files

__all__ = ["__version__", "lease_files"]
__version__ = "0.1.0"


def __getattr__(name: str) -> object:
    """`jit.lease_files`, loaded when it is asked for: most commands do without."""
    if name == "lease_files":
        from jit.leasing import lease_files

        return lease_files
    raise AttributeError(f"module 'jit' has no attribute {name!r}")
