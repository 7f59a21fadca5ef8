"""File locks between processes: held while a journal is written, given back by the system when a process dies."""

from __future__ import annotations

import os
import random
import time

from msd_sql.errors import EngineError

PATIENCE = 60.0  # seconds
_FAR = 2**62  # the byte that Windows locks: no journal is as long, so that reading one is never in the way


def lock(descriptor: int, path: str) -> None:
    """Wait for the lock of an open file; an EngineError after a minute."""
    deadline = time.monotonic() + PATIENCE
    while not _taken(descriptor):
        if time.monotonic() > deadline:
            raise EngineError(
                f"{path} stays locked: another process is writing it. End that process, or ask again; nothing was "
                "charged."
            )
        time.sleep(random.uniform(0.0005, 0.005))


def unlock(descriptor: int) -> None:
    """Give the lock back."""
    if os.name == "nt":
        import msvcrt

        os.lseek(descriptor, _FAR, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_UN)


def flush(descriptor: int) -> None:
    """Bring a file's content to the disk: on macOS fsync alone stops at the disk's own memory."""
    if os.name != "nt":
        import fcntl

        full = getattr(fcntl, "F_FULLFSYNC", None)
        if full is not None:
            try:
                fcntl.fcntl(descriptor, full)
                return
            except OSError:
                pass  # a file system that does not know it
    os.fsync(descriptor)


def flush_folder(path: str) -> None:
    """Bring the name of a new, renamed or removed file to the disk; Windows does that by itself."""
    if os.name == "nt":
        return
    folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _taken(descriptor: int) -> bool:
    try:
        if os.name == "nt":
            import msvcrt

            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
