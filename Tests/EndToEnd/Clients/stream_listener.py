"""Receives a fleet's stream with plain SUB sockets, one for each prefix, and prints the number of messages of each.

usage: stream_listener.py SOCKET SECONDS PREFIX...

Prints a line for each prefix: the number of messages, a space, and the prefix as Python shows it.
"""
import sys
import time

import zmq

path, seconds = sys.argv[1], float(sys.argv[2])
context, poller, counts = zmq.Context(), zmq.Poller(), {}
for prefix in sys.argv[3:]:
    socket = context.socket(zmq.SUB)
    socket.linger = 0
    socket.connect(f"ipc://{path}")
    socket.subscribe(prefix)
    poller.register(socket, zmq.POLLIN)
    counts[socket] = [prefix, 0]
deadline = time.monotonic() + seconds
while (remaining := deadline - time.monotonic()) > 0:
    for socket, _ in poller.poll(remaining * 1_000):
        socket.recv_multipart()
        counts[socket][1] += 1
for prefix, count in counts.values():
    print(count, repr(prefix))
