"""Putting jit's hooks into the files of agent clients and of git, and taking them out again without a trace.

Nothing here runs before an edit: only `jit setup`, `jit uninstall` and `jit hooks` come this way.
"""
