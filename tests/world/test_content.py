"""What a file holds, in few letters: the same for the same content and different for any other."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest

from jit.world.content import ABSENT, CHUNK, digest
from tests.store.unprivileged import common_ground, unprivileged

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("data", [b"", b"x", b"x" * CHUNK, b"x" * (CHUNK + 1)])
def test_content_is_told_in_128_bits(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert digest(str(path)) == blake2b(data, digest_size=16).hexdigest()


def test_only_the_content_counts_and_never_the_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"same")
    before = digest(str(path))
    os.utime(path, ns=(1, 1))
    path.chmod(0o600)
    assert digest(str(path)) == before
    os.utime(path, ns=(2, 2))
    path.write_bytes(b"other")
    os.utime(path, ns=(2, 2))
    assert digest(str(path)) != before


@pytest.mark.parametrize("name", ["missing", "missing/below", "file/below"])
def test_a_file_that_is_not_there_is_absent(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert digest(str(tmp_path / name)) == ABSENT
    assert digest(str(tmp_path / "file")) != ABSENT


def test_a_folder_and_a_pipe_have_an_answer_and_nobody_waits(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert digest(str(tmp_path)) == "folder"
    assert digest(str(tmp_path / "pipe")) == blake2b(b"", digest_size=16).hexdigest()


def test_a_file_that_may_not_be_read_has_an_answer_of_its_own() -> None:
    with common_ground() as folder:
        path = folder / "secret"
        path.write_bytes(b"secret")
        path.chmod(0o000)
        with unprivileged():
            assert digest(str(path)) == "unreadable-13"
        path.chmod(0o600)


def test_a_link_that_leads_nowhere_is_absent(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    assert digest(str(tmp_path / "link")) == ABSENT
