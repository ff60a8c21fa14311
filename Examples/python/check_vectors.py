#!/usr/bin/python3
"""Decodes every message of proto/vectors with another implementation of protobuf, and encodes it again.

usage: check_vectors.py
Needs Debian's python3-protobuf and protobuf-compiler.
"""
import importlib, pathlib, subprocess, sys, tempfile
from google.protobuf import text_format

proto = pathlib.Path(__file__).resolve().parents[2] / "proto"
with tempfile.TemporaryDirectory() as made:
    files = list(proto.glob("sensibus/v1/*.proto"))
    subprocess.run(["protoc", f"--proto_path={proto}", f"--python_out={made}", *files], check=True)
    sys.path.insert(0, made)
    modules = [importlib.import_module(f"sensibus.v1.{file.stem}_pb2") for file in files]

checked = 0
for file in sorted(proto.glob("vectors/[A-Z]*.txt")):
    message = next(getattr(module, file.stem) for module in modules if hasattr(module, file.stem))
    for entry in file.read_text().split("\n== ")[1:]:
        name, rest = entry.split("\n", 1)
        text, golden = rest.rsplit("-- ", 1)
        value, golden = text_format.Parse(text, message()), bytes.fromhex(golden)
        if message.FromString(golden) != value or value.SerializeToString(deterministic=True) != golden:
            sys.exit(f"{file.name}: {name}: the text and the bytes differ")
        checked += 1
print(checked, "messages are the same as text and as bytes")
