#!/bin/sh
# Guess: pyzmq's poll(0.5), in milliseconds, waits half a millisecond, or a whole one: Python's own select.poll rounds
# up, so that a short wait never becomes none. What happens: it cuts to whole milliseconds, so 0.5 waits not at all and
# 1.9 waits one. A loop with such a limit, or with one that was meant as 0.5 seconds, takes a whole processor. The same
# call of zmq.asyncio waits at least as long as it says.
# Versions: pyzmq 27.3.0, Python 3.11, Linux. Source: poll of zmq/sugar/poll.py and of zmq/_future.py.
# Whoever waits less than a millisecond takes zmq.asyncio, or rounds up.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check pyzmq==27.3.0
"$work/venv/bin/python" - <<'PYTHON'
import asyncio
import select
import socket
import statistics
import sys
import time

import zmq
import zmq.asyncio

ROUNDS = 21


def took(wait):
    """The median milliseconds of a wait in which nothing arrives."""
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        wait()
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def took_async(puller, limit):
    times = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        await puller.poll(limit)
        times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


async def waits_of_asyncio(limits):
    with zmq.asyncio.Context() as context, context.socket(zmq.PULL) as puller:
        puller.bind("inproc://nothing")
        return [await took_async(puller, limit) for limit in limits]


print(f"tested: pyzmq {zmq.__version__} with libzmq {zmq.zmq_version()}")
limits = [0.5, 1.9]
with zmq.Context() as context, context.socket(zmq.PULL) as puller:
    puller.bind("inproc://nothing")
    cut = [took(lambda: puller.poll(limit)) for limit in limits]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
    silent.bind(("127.0.0.1", 0))
    poller = select.poll()
    poller.register(silent, select.POLLIN)
    rounded = [took(lambda: poller.poll(limit)) for limit in limits]
exact = asyncio.run(waits_of_asyncio(limits))
for name, times in [("zmq", cut), ("select.poll", rounded), ("zmq.asyncio", exact)]:
    print(f"seen: {name}: " + ", ".join(f"poll({limit}) took {took:.2f} ms" for limit, took in zip(limits, times)))
is_cut = cut[0] < 0.4 and 0.9 < cut[1] < 1.8
others_wait = rounded[0] > 0.9 and rounded[1] > 1.8 and exact[0] > 0.4 and exact[1] > 1.8
sys.exit(0 if is_cut and others_wait else 1)
PYTHON
