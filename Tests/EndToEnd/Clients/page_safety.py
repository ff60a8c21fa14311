"""Requests of other pages, and without a session: all are refused.

usage: page_safety.py URL RUN-DIRECTORY

Each successful step prints a line; the first failure ends the program.
"""

import json
import socket
import sys

from page_client import Page, expect, request_id

POLICY = {
    "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
    "font-src 'self'", "manifest-src 'self'", "base-uri 'none'", "form-action 'self'", "frame-ancestors 'none'",
}
OTHER = "http://evil.example"


def checks_log_ins(page):
    for name, headers in {
        "another page": {"Origin": OTHER},
        "no origin": {"Origin": None},
        "a page of no origin": {"Origin": "null"},
        "another page of the same site": {"Sec-Fetch-Site": "same-site"},
    }.items():
        status, answered, _ = page.log_in(**headers)
        expect(status == 403 and "Set-Cookie" not in answered, f"{name} cannot log in")
    status, answered, _ = page.log_in()
    expect(status == 200, "the page can")
    name, *attributes = [part.strip() for part in answered["Set-Cookie"].split(";")]
    expect({"httponly", "samesite=strict", "path=/"} == {one.lower() for one in attributes}, "with a cookie for it only")
    expect(name.split("=")[1] not in page.csrf and len(page.csrf) == 64, "and a CSRF token without the cookie")


def checks_the_other_login_forms(stranger):
    """Without a session there is no CSRF token: requests of other pages are refused by their origin."""
    email = {"email": "demo@sensibus.local"}
    forms = {"signup": email | {"password": "open sesame"}, "forgot": email, "reset": {"token": "0" * 64, "password": "open sesame"}}
    for name, form in forms.items():
        for headers in {"Origin": OTHER}, {}, {"Origin": "null"}, {"Origin": stranger.origin, "Sec-Fetch-Site": "cross-site"}:
            status, answered, body = stranger.ask("POST", f"/page/{name}", form, **headers)
            expect(status == 403 and b"request refused" in body and "Set-Cookie" not in answered, f"{name} is for the page only")
        status, _, body = stranger.ask("POST", f"/page/{name}", form, Origin=stranger.origin)
        expect(status == 403 and b"request refused" not in body, f"{name} is disabled in this fleet, with a message")
        status, _, _ = stranger.ask("POST", f"/page/{name}", {}, Origin=stranger.origin)
        expect(status == 400, f"{name} needs a form")
    status, _, body = stranger.ask("GET", "/page/ways")
    expect(status == 200 and json.loads(body) == {"signUp": False, "recovery": False}, "whether sign-up and reset are enabled is public")


def refuses_other_names(page):
    """A page whose own name resolves to the gateway has this origin for its browser, and sends that name."""
    for path in "/", "/healthz", "/metrics", "/page/session", "/api/v2/users/me/pods":
        status, _, _ = page.ask("GET", path, Host="evil.example:8701", Origin="http://evil.example:8701")
        expect(status == 421, f"GET {path} under another name: {status}")
    status, _, _ = page.log_in(Host="evil.example", Origin="http://evil.example")
    expect(status == 421, "a login under another name is refused")
    for name, head in {
        "two names": "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: localhost",
        "an absolute URI of another authority": "GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost",
    }.items():
        with socket.create_connection((page.place.hostname, page.place.port), timeout=10) as connection:
            connection.sendall(f"{head}\r\nConnection: close\r\n\r\n".encode())
            status = connection.makefile("rb").readline().split()[1]
        expect(status == b"400", f"a request with {name} is refused: {status.decode()}")
    status, _, _ = page.ask("GET", "/healthz", Host=f"localhost:{page.place.port}")
    expect(status == 200, "this machine's own name is answered")


def refuses_forms_for_programs(page):
    """A form of another page, which a browser sends without asking the gateway."""
    form = f"grant_type=password&username=demo@sensibus.local&password={page.password}"
    for headers in {"Origin": OTHER}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}:
        for path in "/o/token/", "/posts":
            status, _, body = page.ask("POST", path, form, **headers)
            expect(status == 403 and b"request refused" in body, f"POST {path} from another page: {status}")
        status, _, _ = page.ask("POST", "/api/v2/pods/11AAbb22/acStates", form, **headers)
        expect(status == 401, f"a page's cookie does not authorize a change of a pod, only a key does: {status}")
    status, _, _ = page.ask("POST", "/o/token/", form)
    expect(status == 200, "a program without an origin logs in")


def sets_browser_headers(page, device):
    paths = ["/", "/page/main.js", "/page/style.css", "/page/session", "/page/devices", "/page/nothing", "/nothing",
             f"/page/devices/{device}/history", "/api/v1/users/me", "/healthz"]
    for path in paths:
        for cookie in page.cookie, "sensibus=none":
            status, answered, _ = page.ask("GET", path, Cookie=cookie)
            policy = {one.strip() for one in answered.get("Content-Security-Policy", "").split(";")}
            safe = policy == POLICY and answered["X-Content-Type-Options"] == "nosniff"
            safe = safe and answered["X-DNS-Prefetch-Control"] == "off"
            safe = safe and answered["Cross-Origin-Opener-Policy"] == "same-origin"
            safe = safe and "camera=()" in answered["Permissions-Policy"]
            expect(safe and answered["Referrer-Policy"] == "no-referrer", f"{status} {path} allows no foreign content")
    _, answered, body = page.ask("GET", "/page/worker.js")
    shell = json.loads(body.decode().split("\n")[0].removeprefix("const SHELL = ").rstrip(";"))
    served = [page.ask("GET", path)[:2] for path in shell["files"]]
    expect(answered["Service-Worker-Allowed"] == "/" and "/" in shell["files"]
           and all(status == 200 and one["Sensibus-Release"] == shell["release"] for status, one in served),
           f"the service worker may store the {len(served)} files of release {shell['release']}")
    body = page.ask("GET", "/")[2].decode()
    expect("<script type=" in body and "onload" not in body and "<style" not in body, "the page has no inline code")


def toggle_of(row):
    return {"requestId": request_id(), "incarnation": row["incarnation"], "version": row["version"]}


def refuses_others(page, stranger, device):
    """Every request that changes something, sent without the page's credentials."""
    changes = {
        f"/page/devices/{device['id']}/toggle": ("POST", toggle_of(device)),
        "/page/devices/filter": ("POST", {"condition": "on"}),
        f"/page/requests/{request_id()}/cancel": ("POST", {}),
        "/page/posts": ("POST", {"title": "a", "body": "b", "requestId": request_id()}),
        "/page/posts/1/comments": ("POST", {"body": "b", "requestId": request_id()}),
        "/page/session": ("DELETE", None),
    }
    before = [one["version"] for one in page.devices()]
    for path, (method, form) in changes.items():
        for name, status, headers in [
            ("without a proof", 403, {"Origin": page.origin}),
            ("with a wrong proof", 403, {"Origin": page.origin, "X-CSRF-Token": "0" * 64}),
            ("with another's proof", 403, {"Origin": page.origin, "X-CSRF-Token": stranger.csrf}),
            ("from another page", 403, {"Origin": OTHER, "X-CSRF-Token": page.csrf}),
            ("from nowhere", 403, {"X-CSRF-Token": page.csrf}),
            ("by another page in the browser", 403,
             {"Origin": page.origin, "X-CSRF-Token": page.csrf, "Sec-Fetch-Site": "cross-site"}),
            ("without a cookie", 401, {"Origin": page.origin, "X-CSRF-Token": page.csrf, "Cookie": "a=b"}),
        ]:
            given, _, body = page.ask(method, path, form, **headers)
            expect(given == status, f"{method} {path.split('/')[2]} {name}: {given}")
    expect([one["version"] for one in page.devices()] == before, "nothing has changed")


def lets_itself(page, device):
    proof = {"Origin": page.origin, "X-CSRF-Token": page.csrf}
    status, _, body = page.ask("POST", f"/page/devices/{device['id']}/toggle", toggle_of(device), **proof)
    expect(status == 200 and json.loads(body)["kind"] == "applied", "the page itself can switch")
    status, answered, _ = page.ask("DELETE", "/page/session", **proof)
    cookie = answered["Set-Cookie"].lower()
    expect(status in (200, 204) and cookie.startswith("sensibus=;") and "max-age=0" in cookie, "and logs out")
    expect(page.ask("GET", "/page/devices")[0] == 401, "after which the cookie is invalid")


def main(url, directory):
    page, stranger = Page(url, directory), Page(url, directory)
    checks_log_ins(page)
    checks_the_other_login_forms(stranger)
    refuses_other_names(stranger)
    refuses_forms_for_programs(stranger)
    stranger.log_in()
    device = page.devices()[0]
    sets_browser_headers(page, device["id"])
    refuses_others(page, stranger, device)
    lets_itself(page, device)
    secrets = [page.password] + [one for each in (page, stranger) for one in (each.cookie.split("=")[1], each.csrf)]
    logs = [path for path in page.directory.rglob("*.log")]
    expect(any(path.name == "gateway.log" for path in logs), "the gateway has a log")
    text = "".join(path.read_text(errors="replace") for path in logs)
    expect(not any(secret in text for secret in secrets), "and no log has the password, a token or a proof")


main(*sys.argv[1:])
