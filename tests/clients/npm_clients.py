"""Agent clients from npm, in the versions that the tests were written for.

`JIT_CLIENTS_DIR` names a folder with one folder for each client. What is missing there is installed on first use; where
that cannot be done, the test that asked is skipped.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

PATIENCE_S = 280
FOLDER = "JIT_CLIENTS_DIR"
OUTSIDE = dict(os.environ)  # taken before the tests get an environment of their own: npm needs the home of its user
# Neither keys of an account, nor a proxy, nor the traces of an agent that runs these tests, reach a client.
KEPT = ("PATH", "LANG", "LC_ALL", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL")
NODE = "22.23.3"


def client_binary(name: str, package: str, version: str) -> Path:
    """The program `name` of a package, installed if need be; else the test is skipped."""
    if not OUTSIDE.get(FOLDER):
        pytest.skip(f"set {FOLDER} to a folder into which real agent clients may be installed from npm")
    folder = Path(OUTSIDE[FOLDER]).absolute() / name
    binary = folder / "node_modules/.bin" / name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "install.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not _is_installed(folder, binary, package, version):
            _install(folder, f"{package}@{version}")
    if not _is_installed(folder, binary, package, version):
        pytest.skip(f"npm installed {package}@{version}, but there is no program {binary.name} in it")
    return binary


def node_binary(major: int) -> Path:
    """A node that is at least so new: the one on PATH, or one from npm."""
    found = shutil.which("node")
    said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False).stdout if found else ""
    words = said.strip().removeprefix("v").split(".")
    if found and words[0].isdigit() and int(words[0]) >= major:
        return Path(found)
    return client_binary("node", "node", NODE)


def bare_environment(home: Path, **more: str) -> dict[str, str]:
    """What a client needs in order to start, with a home of its own."""
    return {**{name: os.environ[name] for name in KEPT if name in os.environ}, "HOME": str(home), **more}


def _is_installed(folder: Path, binary: Path, package: str, version: str) -> bool:
    about = folder / "node_modules" / package / "package.json"
    return about.exists() and json.loads(about.read_text())["version"] == version and os.access(binary, os.X_OK)


def _install(folder: Path, wanted: str) -> None:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"{wanted} is not in {folder}, and there is no npm to install it with")
    words = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", wanted]
    try:
        done = subprocess.run(words, env=OUTSIDE, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        pytest.skip(f"npm did not install {wanted} within {PATIENCE_S} s")
    if done.returncode != 0:
        pytest.skip(f"npm did not install {wanted}: {done.stderr[-500:]}")
