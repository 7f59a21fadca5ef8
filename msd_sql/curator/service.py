"""The service: a curator with its listeners, from start to a graceful stop."""

from __future__ import annotations

import faulthandler
import ipaddress
import signal
import threading
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from msd_sql.actions.select import FewCandidates
from msd_sql.curator.core import Curator
from msd_sql.curator.flight.server import FlightServer
from msd_sql.curator.limits import Limits
from msd_sql.curator.log import Log
from msd_sql.curator.process_memory import bound_memory, few_arenas, give_back
from msd_sql.errors import InputError

_GIVE_BACK = 5.0  # seconds between looks at what was freed; each takes some milliseconds


@dataclass(frozen=True)
class Settings:
    """How a curator is served."""

    file: str
    host: str = "127.0.0.1"
    port: int = 8815
    certificate: str | None = None
    key: str | None = None
    clients: str | None = None  # the certificate that signs those of clients; None: none is asked for
    page: int | None = None  # the port of the owner's and the analyst's page; None: no page
    refresh: float = 60.0  # seconds between looks at what is published
    pace: float = 0.0
    log_statements: bool = False
    process_memory: str | None = None  # of the whole process; None: four fifths of the machine's


def serve(settings: Settings, limits: Limits, log: Log | None = None) -> None:
    """Serve until SIGTERM or SIGINT: then nothing new is let in, what runs is stopped, and the file is closed."""
    certificate = _certificate(settings)
    clients = Path(settings.clients).read_bytes() if settings.clients is not None else None
    faulthandler.enable()  # a crash says where, by the names of functions alone
    warnings.simplefilter("ignore", FewCandidates)  # who asks is told, and not the log
    few_arenas()
    memory = bound_memory(settings.process_memory)
    written = log or Log(statements=settings.log_statements)
    curator = Curator(settings.file, limits, log=written, pace=settings.pace)
    ended = threading.Event()

    def end(number: int, frame: FrameType | None) -> None:
        ended.set()

    previous = {one: signal.signal(one, end) for one in (signal.SIGTERM, signal.SIGINT)}
    scheme = "grpc+tls" if certificate else "grpc"
    server = FlightServer(curator, f"{scheme}://{_bracketed(settings.host)}:{settings.port}", certificate, clients)
    page = None
    try:
        if settings.page is not None:
            from msd_sql.curator.page import Page

            page = Page(curator, settings.host, settings.page, settings.certificate, settings.key)
        curator.refresh_every(settings.refresh)
        accounts = len(curator.behind.known())
        written.write(
            "serving",
            address=f"{scheme}://{_bracketed(settings.host)}:{server.port}",
            page=page.address if page else None,
            accounts=accounts,
            memory=memory,
            published=[f"{name.schema}.{name.name}" for name in curator.behind.published],
        )
        while not ended.wait(_GIVE_BACK):  # a signal wakes it
            give_back()
        written.write("stopping")
    finally:
        if page is not None:
            page.close()
        curator.behind.instance.stop()
        server.shutdown()
        curator.close()
        for one, before in previous.items():
            signal.signal(one, before)
        written.write("stopped")


def _certificate(settings: Settings) -> tuple[bytes, bytes] | None:
    if (settings.certificate is None) != (settings.key is None):
        raise InputError("--tls-cert and --tls-key belong together: give both.")
    if settings.clients is not None and settings.certificate is None:
        raise InputError("--tls-clients needs --tls-cert and --tls-key: certificates are shown under TLS only.")
    if settings.certificate is not None and settings.key is not None:
        return Path(settings.certificate).read_bytes(), Path(settings.key).read_bytes()
    if not loopback(settings.host):
        raise InputError(
            f"Tokens must not travel in the clear: give --tls-cert and --tls-key to serve on {settings.host}, or serve "
            "on 127.0.0.1."
        )
    return None


def loopback(host: str) -> bool:
    """Is it this machine alone?

    >>> loopback("127.0.0.1"), loopback("0.0.0.0"), loopback("localhost")
    (True, False, True)
    """
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
