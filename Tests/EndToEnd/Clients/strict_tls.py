"""A client with a fixed host name, which checks certificates as Python 3.13 does.

usage: strict_tls.py AUTHORITY PORT

Each host name is resolved to this machine. Prints the result for each.
"""

import http.client
import socket
import ssl
import sys

authority, port = sys.argv[1], int(sys.argv[2])
resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, port, *rest, **more: resolve("127.0.0.1", port, *rest, **more)
context = ssl.create_default_context(cafile=authority)
context.verify_flags |= ssl.VERIFY_X509_STRICT
for host in "home.sensibo.com", "localhost", "127.0.0.1", "www.sensibo.com":
    connection = http.client.HTTPSConnection(host, port, context=context, timeout=20)
    try:
        connection.request("GET", "/healthz", headers={"Host": host})
        print(host, connection.getresponse().status)
    except ssl.SSLCertVerificationError:
        print(host, "refused")
