#!/usr/bin/python3
"""Reads one pod over and over, between changes and other requests. Arguments: the gateway's address, a key, an ID."""
import http.client, json, socket, sys, urllib.parse

url, key, device = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2], sys.argv[3]
POD = f"/api/v2/pods/{device}?fields=acState&apiKey={key}"
ALL = f"/api/v2/users/me/pods?fields=id&apiKey={key}"
UNKNOWN = f"/api/v2/pods/00000000?apiKey={key}"


def connection():
    return http.client.HTTPConnection(url.hostname, url.port, timeout=10)


def asked(line, path, method="GET", body=None):
    line.request(method, path, body)
    answer = line.getresponse()
    return answer.status, answer.headers, answer.read()


def changes():
    """What one connection has changed, another one reads at once, also if it has just read it."""
    reader, writer = connection(), connection()
    for number in range(100):
        on = number % 2 == 0
        for _ in range(2):
            asked(reader, POD)
        status, _, body = asked(
            writer, f"/api/v2/pods/{device}/acStates/on?apiKey={key}", "PATCH", json.dumps({"newValue": on}))
        assert status == 200 and json.loads(body)["result"]["status"] == "Success", body
        status, _, body = asked(reader, POD)
        assert status == 200 and json.loads(body)["result"]["acState"]["on"] is on, (number, body)


def headers():
    """A response that is sent again has the headers of the first."""
    line = connection()
    names = [sorted(asked(line, POD)[1].keys()) for _ in range(20)]
    assert all(one == names[0] for one in names), names
    assert {"Content-Type", "Content-Length", "Date", "Cache-Control", "Access-Control-Allow-Origin"} <= set(names[0])


def order():
    """Answers to pipelined requests have the order of the requests, also after a GET with a body."""
    paths = [POD, POD, UNKNOWN, POD, ALL, POD, UNKNOWN] * 20
    lines = [f"GET {path} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n" for path in paths]
    lines[1] = f"GET {POD} HTTP/1.1\r\nHost: {url.netloc}\r\nContent-Length: 4\r\n\r\nnone"
    lines[-1] = lines[-1].replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    for _ in range(5):
        with socket.create_connection((url.hostname, url.port), timeout=10) as peer:
            peer.sendall("".join(lines).encode())
            statuses = received(peer)
        assert statuses == [404 if path == UNKNOWN else 200 for path in paths], statuses


def received(peer):
    """The statuses of all responses until the gateway closes the connection."""
    text = b"".join(iter(lambda: peer.recv(65_536), b""))
    return [int(part[:3]) for part in text.split(b"HTTP/1.1 ")[1:]]


def last_words():
    """The end of the input and a malformed request do not overtake a read before them."""
    read = f"GET {POD} HTTP/1.1\r\nHost: {url.netloc}\r\n\r\n".encode()
    unreadable = b"GARB AGE / X\r\n\r\n"
    long = b"GET / HTTP/1.1\r\nX: " + b"x" * 20_000 + b"\r\n\r\n"
    half = b"GET /api/v2/pods"
    for words, isClosed, expected in [
        (read, True, [200]), (read * 5, True, [200] * 5), (read + unreadable, False, [200, 400]),
        (read + half, True, [200, 400]), (read * 3 + long, False, [200, 200, 200, 400]),
    ]:
        for _ in range(20):
            asked(connection(), POD)
            with socket.create_connection((url.hostname, url.port), timeout=10) as peer:
                peer.sendall(words)
                if isClosed:
                    peer.shutdown(socket.SHUT_WR)
                statuses = received(peer)
            assert statuses == expected, (words[-40:], statuses)


for check in changes, headers, order, last_words:
    check()
    print(f"{check.__name__}: right")
