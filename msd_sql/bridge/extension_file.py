"""The end of an extension's file: what to start and what to register (for us), and the footer that DuckDB checks."""

from __future__ import annotations

import platform
import struct
import sys

from msd_sql.errors import EngineError

ABI = "v1.2.0"  # of the C API's table of functions; the same for every DuckDB since 1.2
_MACHINES = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}


def footer(target: str, version: str) -> bytes:
    """The 534 bytes: a WebAssembly-like section head, eight fields from the last to the first, an empty signature.

    >>> len(footer("linux_amd64", "0.1.0"))
    534
    """
    fields = ["4", target, ABI, version, "C_STRUCT", "", "", ""]
    head = b"\0" + bytes([147, 4, 16]) + b"duckdb_signature" + bytes([128, 4])
    return head + b"".join(field.encode().ljust(32, b"\0")[:32] for field in reversed(fields)) + bytes(256)


def behind(python: str, functions: str) -> bytes:
    """What `own_text` of the extension reads: the Python to start, the functions, and the length of both.

    >>> len(behind("python", "functions")) == len("python") + 1 + len("functions") + 8
    True
    """
    text = f"{python}\n{functions}".encode()
    return text + struct.pack("<Q", len(text))


def target() -> str:
    """DuckDB's name of this platform.

    >>> target() in ("linux_amd64", "linux_arm64", "osx_amd64", "osx_arm64", "linux_amd64_musl", "linux_arm64_musl")
    True
    """
    machine = {"x86_64": "amd64", "amd64": "amd64", "aarch64": "arm64", "arm64": "arm64"}.get(
        platform.machine().lower()
    )
    system = {"linux": "linux", "darwin": "osx"}.get(sys.platform)
    if machine is None or system is None:
        raise EngineError(
            f"The bridge to the duckdb shell is made for Linux and macOS on x86-64 and ARM; this is {sys.platform} on "
            f"{platform.machine()}. Everything else works here: msd shell, and msd_sql.register(con) in Python."
        )
    musl = system == "linux" and platform.libc_ver()[0] == ""
    return f"{system}_{machine}{'_musl' if musl else ''}"
