"""Which file system a path lies on. Locks between processes cannot be relied on across a network."""

from __future__ import annotations

import os

from jit.errors import Unavailable

NETWORK = (
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "afs",
    "ceph",
    "glusterfs",
    "fuse.sshfs",
    "fuse.s3fs",
    "lustre",
    "beegfs",
)


def file_system(path: str, mountinfo: str = "/proc/self/mountinfo") -> str:
    """The type of the file system that holds `path`; nothing where the system does not say."""
    try:
        with open(mountinfo, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.readlines()
    except OSError:
        return ""
    target = os.path.realpath(path)
    best, kind = "", ""
    for line in lines:
        before, _, after = line.partition(" - ")
        point = before.split()[4].replace("\\040", " ")
        inside = target == point or target.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best) and after.split():
            best, kind = point, after.split()[0]
    return kind


def refuse_network(path: str, mountinfo: str = "/proc/self/mountinfo") -> None:
    """A control plane on a network file system would look safe and not be: say so instead."""
    kind = file_system(path, mountinfo)
    if kind in NETWORK:
        raise Unavailable(
            f"{path} is on a network file system ({kind}), where locks between machines cannot be relied on",
            hint="keep the repository on a local disk: git clone it there",
            details={"path": path, "file_system": kind},
        )
