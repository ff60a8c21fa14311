#!/usr/bin/python3
"""Changes a pod on connections that the gateway answers directly. Arguments: the gateway's address, a key, an ID."""
import http.client, json, re, socket, struct, sys, time, urllib.parse

url, key, device = urllib.parse.urlsplit(sys.argv[1]), sys.argv[2], sys.argv[3]
POD = f"/api/v2/pods/{device}?fields=acState&apiKey={key}"
CHANGES = f"/api/v2/pods/{device}/acStates"


def request(method, path, body="", host=url.netloc, headers=""):
    separator = "&" if "?" in path else "?"
    path = path if "apiKey" in path else f"{path}{separator}apiKey={key}"
    return (
        f"{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n{headers}\r\n{body}").encode()


def switch(on, **more):
    return request("PATCH", f"{CHANGES}/on", json.dumps({"newValue": on}), **more)


def answers(words, count):
    """Sends words on a new connection, and returns the answers: status, headers, body."""
    with socket.create_connection((url.hostname, url.port), timeout=20) as peer:
        peer.sendall(words)
        file, found = peer.makefile("rb"), []
        for _ in range(count):
            status = int(file.readline().split()[1])
            headers = dict(http.client.parse_headers(file).items())
            found.append((status, headers, file.read(int(headers["Content-Length"]))))
    return found


def is_on():
    return json.loads(answers(request("GET", POD), 1)[0][2])["result"]["acState"]["on"]


def sameness():
    """The answer is that of the router, which answers a request that ends its connection."""
    first, state = ({"on": on, "mode": "cool", "targetTemperature": 21, "fanLevel": "auto"} for on in (False, True))
    bodies = [
        ("PATCH", f"{CHANGES}/on", '{"newValue":true}'), ("PATCH", f"{CHANGES}/on", '{"newValue":false}'),
        ("PATCH", f"{CHANGES}/targetTemperature", '{"newValue":23}'), ("POST", CHANGES, json.dumps({"acState": state})),
        ("PATCH", f"{CHANGES}/targetTemperature", '{"newValue":99}'), ("PATCH", f"{CHANGES}/on", '{"newValue":1'),
        ("PATCH", f"{CHANGES}/on", ""), ("PATCH", f"{CHANGES}/colour", '{"newValue":true}'), ("POST", f"{CHANGES}/on", "{}"),
        ("PATCH", f"/api/v2/pods/00000000/acStates/on", '{"newValue":true}'), ("PATCH", CHANGES, '{"newValue":true}'),
        ("PATCH", f"/api/v2/pods/{device}", "{}"), ("PATCH", f"{CHANGES}/on?apiKey=none", '{"newValue":true}'),
    ]
    for accept in "", "Accept: application/json\r\n":
        for body in bodies:
            shown = []
            for end in "", "Connection: close\r\n":
                answers(request("POST", CHANGES, json.dumps({"acState": first})), 1)
                status, headers, text = answers(request(*body, headers=accept + end), 1)[0]
                headers = {name: "" if name == "Date" else value for name, value in headers.items() if name != "Connection"}
                text = re.sub(rb'"(id|time|secondsAgo)":("[^"]*"|\d+)', b"", text)
                shown.append((status, headers, text))
            for one in shown:
                one[1].pop("Content-Length")
            assert shown[0] == shown[1], (body, shown)
            assert shown[0][1].keys() >= {"Date", "Cache-Control", "Access-Control-Allow-Origin"}, shown[0]


def order():
    """Pipelined changes and reads are answered, and carried out, in their order."""
    words, expected = b"", []
    for number in range(60):
        on = number % 3 != 0
        words += switch(on, headers="Idempotency-Key: k%d\r\n" % number if number % 5 == 0 else "") + request("GET", POD)
        expected += [on, on]
    found = answers(words, len(expected))
    assert all(status == 200 for status, _, _ in found), found
    states = [json.loads(text)["result"]["acState"]["on"] for _, _, text in found]
    assert states == expected, states


def last_words():
    """The end of the input does not overtake a change; a change is carried out after its client has gone."""
    for number in range(20):
        on = number % 2 == 0
        with socket.create_connection((url.hostname, url.port), timeout=20) as peer:
            peer.sendall(switch(on))
            peer.shutdown(socket.SHUT_WR)
            assert b"".join(iter(lambda: peer.recv(65_536), b"")).startswith(b"HTTP/1.1 200"), number
    for number in range(20):
        on = number % 2 == 0
        with socket.create_connection((url.hostname, url.port), timeout=20) as peer:
            peer.sendall(switch(on))
            time.sleep(0.01)
            # Without lingering, the system sends RST.
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end = time.monotonic() + 10
        while is_on() is not on:
            assert time.monotonic() < end, "the change is lost"
            time.sleep(0.01)


def hosts():
    """A request for another host changes nothing."""
    answers(switch(False), 1)
    for host, status in ("evil.example", 421), ("evil.example, localhost", 400):
        assert answers(switch(True, host=host), 1)[0][0] == status
        assert not is_on()


for check in sameness, order, last_words, hosts:
    check()
    print(f"{check.__name__}: right")
