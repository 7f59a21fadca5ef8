"""The owner's and the analyst's page: one static page, which asks the core what the functions ask (extra: server)."""

from __future__ import annotations

import json
import threading
import time
from importlib.resources import files
from typing import Any

from msd_sql.catalog.accounts.account import Account
from msd_sql.curator.core import Curator
from msd_sql.errors import EngineError, InputError, MsdError
from msd_sql.remote.wire import Asked

_FILES = {
    "/": ("page.html", "text/html"),
    "/page.js": ("page.js", "text/javascript"),
    "/page.css": ("page.css", "text/css"),
}
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
}
_LARGEST = 1 << 20  # bytes of a request
# What the page may ask; candidates never come from a browser, so that questions about them are statements.
_ACTS = frozenset({"published", "status", "accounts", "account add", "account grant", "account revoke", "declare"})


class Page:
    """Serves the page on a port of its own, in a thread."""

    def __init__(self, curator: Curator, host: str, port: int, certificate: str | None, key: str | None) -> None:
        try:
            import uvicorn
        except ImportError:
            raise EngineError("The page needs the extra server: pip install 'msd-sql[server]'.") from None
        config = uvicorn.Config(
            application(curator),
            host=host,
            port=port,
            ssl_certfile=certificate,
            ssl_keyfile=key,
            log_level="critical",
            access_log=False,
            server_header=False,
            limit_concurrency=64,
            timeout_keep_alive=5,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, name="curator page", daemon=True)
        self._thread.start()
        deadline = time.monotonic() + 10
        while not self._server.started and self._thread.is_alive() and time.monotonic() < deadline:
            time.sleep(0.01)
        if not self._server.started:
            raise EngineError(f"The page could not be served on {host}:{port}: is the port taken?")
        taken = self._server.servers[0].sockets[0].getsockname()[1]
        self.address = f"{'https' if certificate else 'http'}://{host}:{taken}"

    def close(self) -> None:
        """Serve no more."""
        self._server.should_exit = True
        self._thread.join(10)


def application(curator: Curator) -> Any:
    """The page as an ASGI application: files, /health, /api/ask for questions and /api/sql for statements."""
    from starlette.applications import Starlette
    from starlette.concurrency import run_in_threadpool
    from starlette.responses import JSONResponse, Response
    from starlette.routing import Route

    async def page(request: Any) -> Any:
        name, kind = _FILES[request.url.path]
        return Response(files("msd_sql.curator").joinpath(name).read_bytes(), media_type=kind, headers=_HEADERS)

    async def health(request: Any) -> Any:
        return JSONResponse({"status": "ok", "under_way": curator.gate.busy}, headers=_HEADERS)

    async def ask(request: Any) -> Any:
        body = bytearray()
        async for part in request.stream():
            body += part
            if len(body) > _LARGEST:
                return JSONResponse({"error": "The request is too large."}, 413, headers=_HEADERS)
        header = request.headers.get("authorization", "")
        status, told = await run_in_threadpool(answered, curator, header, request.url.path, bytes(body))
        return Response(json.dumps(told, default=str), status, headers=_HEADERS, media_type="application/json")

    return Starlette(
        routes=[
            *(Route(path, page) for path in _FILES),
            Route("/health", health),
            Route("/api/ask", ask, methods=["POST"]),
            Route("/api/sql", ask, methods=["POST"]),
        ]
    )


def answered(curator: Curator, header: str, path: str, body: bytes) -> tuple[int, dict[str, Any]]:
    """What the page is told: a status of HTTP, and plain values."""
    account = curator.account(header)
    if account is None:
        curator.log.write("unauthenticated", method="page")
        return 401, {"error": "This token is unknown, expired or revoked."}
    try:
        said = json.loads(body)
        if not isinstance(said, dict):
            raise ValueError
    except (ValueError, RecursionError):
        return 400, {"error": "The request cannot be read."}
    try:
        return 200, _rows(curator, account, said) if path == "/api/sql" else _asked(curator, account, said)
    except MsdError as error:
        return 403, {"error": str(error), "kind": type(error).__name__}


def _asked(curator: Curator, account: Account, said: dict[str, Any]) -> dict[str, Any]:
    act, given = said.get("act"), said.get("given") or {}
    if act not in _ACTS or not isinstance(given, dict):
        raise InputError("The page does not ask that.")
    return dict(curator.answer(account, Asked(str(act), given)).values)


def _rows(curator: Curator, account: Account, said: dict[str, Any]) -> dict[str, Any]:
    table = curator.statement(account, curator.check(str(said.get("sql") or "")))
    try:
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    except (ArithmeticError, ValueError):  # an INTERVAL of a million years, and their like
        raise InputError("A value of the result has no place on a page: cast it to VARCHAR.") from None
    return {"columns": table.column_names, "rows": rows}
