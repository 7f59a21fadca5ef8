"""The page in a real browser: the owner's side, the analyst's side, and what neither shows.

The pictures of docs/curator.md: pytest tests/curator/test_page.py --basetemp=FOLDER, then look into FOLDER.
"""

from __future__ import annotations

import json
import shutil
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.curator.shop import Server, add_account, make_shop, serve, share

pytest.importorskip("uvicorn")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def held(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    shop = make_shop(tmp_path_factory.mktemp("page") / "shop.duckdb")
    return {
        "file": str(shop),
        "ana": add_account(shop, "ana", shares=share(0.4)),
        "olga": add_account(shop, "olga", role="owner"),
    }


@pytest.fixture(scope="module")
def server(held: dict[str, str]) -> Iterator[Server]:
    found = serve(Path(held["file"]), "--page", "0")
    yield found
    assert found.stop() == 0


def post(server: Server, path: str, body: bytes, token: str | None) -> tuple[int, dict[str, Any]]:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    request = urllib.request.Request(f"{server.page}{path}", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def test_health_and_headers(server: Server) -> None:
    with urllib.request.urlopen(f"{server.page}/health", timeout=10) as answer:
        assert json.loads(answer.read())["status"] == "ok"
    with urllib.request.urlopen(f"{server.page}/", timeout=10) as answer:
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["cache-control"] == "no-store"


def test_the_page_s_questions_need_a_token_and_a_role(server: Server, held: dict[str, str]) -> None:
    asked = json.dumps({"act": "status"}).encode()
    assert post(server, "/api/ask", asked, None)[0] == 401
    assert post(server, "/api/ask", asked, "ana.wrong")[0] == 401
    status, told = post(server, "/api/ask", asked, held["ana"])
    assert (status, told["kind"]) == (403, "PrivacyError")
    assert post(server, "/api/ask", asked, held["olga"])[0] == 200
    for broken in (b"", b"[]", b"{", b"\xff", b"[" * 100_000):
        assert post(server, "/api/ask", broken, held["ana"])[0] == 400
    assert post(server, "/api/ask", b'{"act": "select"}', held["ana"])[0] == 403
    assert post(server, "/api/ask", b" " * (2 << 20), held["ana"])[0] == 413
    status, told = post(server, "/api/sql", b'{"sql": "SELECT * FROM purchases"}', held["olga"])
    assert status == 403
    assert "does not exist" in told["error"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("no Chromium on this machine")  # .ci/run installs one
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1100, "height": 1000})
    page = context.new_page()
    page.set_default_timeout(120_000)
    page.troubles = []
    page.on("pageerror", lambda error: page.troubles.append(str(error)))
    page.on("console", lambda told: page.troubles.append(told.text) if told.type == "error" else None)
    yield page
    context.close()


def enter(tab: Any, server: Server, token: str) -> None:
    tab.goto(f"{server.page}/")
    tab.fill("#token", token)
    tab.click("#door button")


def test_an_analyst_asks_and_the_owner_sees_it(
    tab: Any, browser: Any, server: Server, held: dict[str, str], tmp_path: Path
) -> None:
    enter(tab, server, held["ana"])
    tab.wait_for_selector("#shares td")
    assert tab.inner_text("#who") == "ana, analyst"
    assert not tab.is_visible("#owner")
    assert "main.products" in tab.inner_text("#tables")
    tab.click("#price")  # of the whole table
    tab.wait_for_selector("#cost td")
    assert "61 (INTEGER)" in tab.inner_text("#cost")
    tab.fill("#ask-k", "5")
    tab.fill("#ask-where", "price < 60")
    tab.fill("#ask-among", "user_id < 300")
    tab.select_option("#ask-quota", "shelf")
    tab.fill("#ask-cap", "2")
    assert "FROM msd_topk(candidates, 5, 0.05, 0.5" in tab.inner_text("#sql")
    assert "among := 'user_id < 300', quota := shelf, quota_cap := 2" in tab.inner_text("#sql")
    tab.click("#price")
    tab.locator("#cost", has_text="40 (INTEGER)").wait_for()
    assert "0.05" in tab.inner_text("#cost")
    assert "step" not in tab.inner_text("#cost")
    tab.click("#ask button:not([type=button])")
    tab.wait_for_selector("#rows td")
    tab.wait_for_selector("#paid:not([hidden])")
    left = "ε 0.35 is left of your share of 0.4, ε 0.95 of the whole budget."
    assert tab.inner_text("#paid") == f"main.purchases: charged ε 0.05; {left}"
    assert tab.inner_text("#cost") == "", "what stood there before it was paid is stale"
    tab.locator("#picture rect").last.wait_for()
    tab.screenshot(path=str(tmp_path / "curator_analyst.png"), full_page=True)
    tab.click("#ask button:not([type=button])")
    tab.locator("#paid", has_text="Nothing was charged.").wait_for()
    assert tab.locator("#rows tr").count() == 6
    assert tab.locator("#picture rect").count() == 25
    tab.locator("#shares", has_text="0.35").wait_for()
    # Over the share: an error that says what is left, and nothing else changes.
    tab.fill("#ask-eps", "0.9")
    tab.click("#ask button:not([type=button])")
    tab.wait_for_selector("#trouble:not([hidden])")
    assert "share that account ana has" in tab.inner_text("#trouble")
    assert tab.locator("#rows tr").count() == 6, "what was paid for stays"
    tab.click("#price")
    tab.wait_for_selector("#cost td")
    assert "does not allow it, ε 0.35 is left of it" in tab.inner_text("#cost")
    assert [one for one in tab.troubles if "403" not in one] == []

    context = browser.new_context(viewport={"width": 1100, "height": 1000})
    other = context.new_page()
    other.set_default_timeout(120_000)
    enter(other, server, held["olga"])
    other.wait_for_selector("#lines td")
    told = other.inner_text("#owner")
    assert "ana" in told
    assert "5 of" in told
    assert "BudgetError" in other.inner_text("#refused")
    assert other.locator("#spent polyline").count() == 1
    other.fill("#add-name", "cleo")
    other.select_option("#add-relation", "main.purchases")
    other.click("#add button")
    other.wait_for_selector("#added:not([hidden])")
    assert "cleo." in other.inner_text("#added")
    other.locator("#accounts", has_text="cleo").wait_for()
    shown = other.inner_text("#accounts")
    assert "cleo." not in shown, "a token is shown once, and not in the list"
    other.evaluate("document.querySelector('#added').hidden = true")
    other.screenshot(path=str(tmp_path / "curator_owner.png"), full_page=True)
    context.close()


def test_a_statement_with_markup_is_shown_as_text(tab: Any, server: Server, held: dict[str, str]) -> None:
    nasty = "SELECT msd_select(item_id, 3, 0.01, 0) AS \"<img src=x onerror=document.title='hit'>\" FROM products"
    assert post(server, "/api/sql", json.dumps({"sql": nasty}).encode(), held["ana"])[0] == 200
    enter(tab, server, held["olga"])
    tab.wait_for_selector("#lines td")
    assert tab.title() == "msd_sql curator"
    assert tab.locator("img").count() == 0
    assert tab.troubles == []


def test_a_wrong_token_is_told_and_not_kept(tab: Any, server: Server) -> None:
    enter(tab, server, "ana.wrong")
    tab.wait_for_selector("#trouble:not([hidden])")
    assert "unknown, expired or revoked" in tab.inner_text("#trouble")
    assert tab.evaluate("sessionStorage.length") == 0
    assert not tab.is_visible("#analyst")
