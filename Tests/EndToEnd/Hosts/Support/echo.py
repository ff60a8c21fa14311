#!/usr/bin/python3
"""Sends each request of a ZeroMQ client back: echo.py ENDPOINT"""
import sys

import zmq

socket = zmq.Context.instance().socket(zmq.ROUTER)
socket.set(zmq.LINGER, 0)
socket.bind(sys.argv[1])
print("ready", flush=True)
while True:
    socket.send_multipart(socket.recv_multipart())
