#!/bin/sh
# Guess: queryParameters of a Hummingbird request decodes a query as browsers and HTTP libraries write one: a plus is a
# space, and keys are decoded like values. What happens: values are decoded but for the plus, and keys not at all. Python's
# urlencode, and so requests, sends the room "Living Room" as Living+Room, and that is what the handler gets; the key
# filter[site] is absent, and there under its encoded name.
# Versions: hummingbird 2.28.1, Swift 6.3, Linux. Source: HummingbirdCore/Request/URI.swift.
# A server for such clients splits and decodes the query itself, as Sensibus' gateway does for its API.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/Sources/query"
cat >"$work/Package.swift" <<'SWIFT'
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "query",
    dependencies: [.package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1", traits: [])],
    targets: [
        .executableTarget(name: "query", dependencies: [.product(name: "HummingbirdCore", package: "hummingbird")])
    ])
SWIFT
cat >"$work/Sources/query/main.swift" <<'SWIFT'
import Glibc
import HummingbirdCore

let parameters = URI("/pods?\(CommandLine.arguments[1])").queryParameters
func show(_ name: String) -> String? {
    let value = parameters[name[...]].map(String.init)
    print("seen: the value of \(name) is \(value ?? "absent")")
    return value
}
let (room, site, note) = (show("room"), show("filter[site]"), show("note"))
let encoded = show("filter%5Bsite%5D")
exit(room == "Living+Room" && site == nil && note == "50% & more" && encoded == "Oslo" ? 0 : 1)
SWIFT
query=$(python3 -c 'from urllib.parse import urlencode
print(urlencode({"room": "Living Room", "filter[site]": "Oslo"}) + "&note=50%25%20%26%20more")')
echo "tested: hummingbird 2.28.1 with the query $query"
swift build --package-path "$work" -debug-info-format none --disable-index-store >"$work/log" 2>&1 || {
  cat "$work/log"
  exit 1
}
"$work/.build/debug/query" "$query"
