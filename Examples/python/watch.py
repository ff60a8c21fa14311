#!/usr/bin/python3
"""Logs in, toggles a device, and reads the account's stream until the outcome of the toggle arrives.
usage: watch.py RUN_DIRECTORY EMAIL PASSWORD_FILE DEVICE_NAME
Needs Debian's python3-zmq, python3-protobuf and protobuf-compiler, and proto/ of Sensibus.
"""
import pathlib, secrets, subprocess, sys, tempfile, time
import zmq

with tempfile.TemporaryDirectory() as made:  # protoc generates the Python of proto/ for each run.
    proto = pathlib.Path(__file__).resolve().parents[2] / "proto"
    files = proto.glob("sensibus/v1/*.proto")
    subprocess.run(["protoc", f"--proto_path={proto}", f"--python_out={made}", *files], check=True)
    sys.path.insert(0, made)
    from sensibus.v1 import clients_pb2 as clients, common_pb2 as common, stream_pb2 as stream

run, email, password_file, name = sys.argv[1:] if len(sys.argv) == 5 else sys.exit(__doc__)
sockets = pathlib.Path(run, "sockets")  # A link, if the run directory's path is too long for sockets.
sockets = sockets if sockets.exists() else pathlib.Path(run)
context, token = zmq.Context(), b""

def connected(kind, socket):
    made = context.socket(kind)
    made.linger = 0
    made.connect(f"ipc://{sockets}/{socket}.sock")
    return made

def ask(**body):
    """Sends a request and returns its reply; after silence it retries with the same bytes, which is safe."""
    request = clients.ClientRequest(protocol=1, correlation=secrets.randbits(63) + 1, token=token, **body)
    for copies in range(1, 4):
        with connected(zmq.REQ, "clients") as socket:  # REQ adds and removes the empty delimiter.
            socket.send(request.SerializeToString())
            if socket.poll(6_000):  # A command takes at most 5 s.
                reply = clients.ClientReply.FromString(socket.recv())
                kind = reply.WhichOneof("body")
                if kind == "refusal":
                    sys.exit(f"refused: {reply.refusal}" + "an earlier copy may still be executed" * (copies > 1))
                return getattr(reply, kind)
    sys.exit("no reply from the controller: the outcome of the request is unknown")

session = ask(login=clients.Login(email=email, password=pathlib.Path(password_file).read_text().strip()))
token, device, cursor, done = session.token, None, 0, False
while not done:  # The snapshot has several chunks, with columns of equal length.
    chunk = ask(snapshot=clients.SnapshotPull(cursor=cursor))
    device = dict(zip(chunk.name, chunk.device)).get(name, device)
    cursor, done = chunk.next_cursor, chunk.done
ticket = ask(stream_ticket=clients.StreamTicketQuery())  # It opens the stream until the session ends.
updates = connected(zmq.SUB, "stream")
updates.subscribe(ticket.topic)
updates.subscribe(ticket.ticket)
updates.poll(6_000) or sys.exit("the stream is silent")  # A heartbeat arrives twice a second. After the first,
updates.recv_multipart()  # no update is lost.
request_id = common.RequestID(high=time.time_ns() // 1_000_000 << 16 | 7 << 12 | secrets.randbits(12),
                              low=2 << 62 | secrets.randbits(62))
report = ask(command=clients.Command(request_id=request_id, device=device or sys.exit("no such device"), toggle={}))
print("reply", common.OutcomeKind.Name(report.outcome.kind), f"version {report.outcome.version}")
while updates.poll(6_000):
    update = stream.StreamUpdate.FromString(updates.recv_multipart()[1])
    print("update", update.sequence, update.WhichOneof("body"), flush=True)
    if update.WhichOneof("body") == "outcome" and update.outcome.request_id == request_id:
        sys.exit(update.outcome.outcome.kind != common.OUTCOME_KIND_APPLIED)
sys.exit("the stream stopped before the outcome arrived")
