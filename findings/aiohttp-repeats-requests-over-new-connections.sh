#!/bin/sh
# Guess: aiohttp sends a request again only if a kept connection turns out to be closed; over a new one, a server that
# closes without an answer gets it once.
# What happens: GET, PUT and DELETE are sent twice over new connections, too, without a public option against it;
# POST and PATCH once. A test that counts the requests of a client, or its retries, sees twice as many.
# Versions: aiohttp 3.14.5, Python 3.11. Source: IDEMPOTENT_METHODS in aiohttp/client.py.
set -eu

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
python3 -m venv "$made/env"
"$made/env/bin/pip" install --quiet --disable-pip-version-check 'aiohttp==3.14.5'
cat >"$made/count.py" <<'END'
import asyncio

import aiohttp


async def sent(method):
    """How often a server that ends each connection without an answer gets a request; each comes over a new one."""
    heads = []

    async def end(reader, writer):
        head = await reader.readuntil(b"\r\n\r\n")
        heads.append(head.split(b" ")[0].decode())
        writer.close()

    server = await asyncio.start_server(end, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/timer"
    async with aiohttp.ClientSession() as session:
        try:
            async with session.request(method, url):
                raise SystemExit("the server answered")
        except aiohttp.ServerDisconnectedError:
            pass
    server.close()
    return len(heads)


async def main():
    counts = {method: await sent(method) for method in ("GET", "PUT", "DELETE", "POST", "PATCH")}
    print(f"aiohttp {aiohttp.__version__}, one call of each method: {counts} requests reached the server")
    return counts == {"GET": 2, "PUT": 2, "DELETE": 2, "POST": 1, "PATCH": 1}


raise SystemExit(0 if asyncio.run(asyncio.wait_for(main(), 30)) else 1)
END
"$made/env/bin/python" "$made/count.py"
