"""Other ways to keep leases durably, driven as their own documentation would have it."""
