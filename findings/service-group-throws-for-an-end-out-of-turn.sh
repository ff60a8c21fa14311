#!/bin/sh
# Guess: a service that may end by itself (its behaviour is `.ignore`, or `.gracefullyShutdownGroup`) may also do so
# while its group shuts down. What happens: the group then ends its services one after another, and if one ends while
# another one has its turn, it is cancelled, and run() throws serviceFinishedUnexpectedly, whatever the behaviour.
# Versions: swift-service-lifecycle 2.13.0 with Swift 6.3. Source: ServiceGroup.shutdownGracefully, in ServiceGroup.swift.
# It shows as an exit status of 1 now and then, at a signal that comes together with the end of what a service watches.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/Sources/turns"
cat >"$work/Package.swift" <<'SWIFT'
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "turns",
    dependencies: [.package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0")],
    targets: [
        .executableTarget(
            name: "turns", dependencies: [.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")])
    ])
SWIFT
cat >"$work/Sources/turns/main.swift" <<'SWIFT'
import Logging
import ServiceLifecycle

let (ends, feed) = AsyncStream.makeStream(of: Void.self)

/// Ends by itself once something has happened.
struct Watch: Service {
    func run() async throws { for await _ in ends.cancelOnGracefulShutdown() {} }
}

/// Takes a while to end. What the other service watches happens meanwhile.
struct Server: Service {
    func run() async throws {
        try await gracefulShutdown()
        feed.finish()
        try await Task.sleep(for: .milliseconds(300))
    }
}

let isIgnored = CommandLine.arguments[1] == "ignore"
let group = ServiceGroup(
    configuration: ServiceGroupConfiguration(
        services: [
            .init(service: Watch(), successTerminationBehavior: isIgnored ? .ignore : .gracefullyShutdownGroup),
            .init(service: Server()),
        ], logger: Logger(label: "turns", factory: { _ in SwiftLogNoOpLogHandler() })))
let run = Task { try await group.run() }
try await Task.sleep(for: .milliseconds(300))
await group.triggerGracefulShutdown()
do {
    try await run.value
    print("run() has returned")
} catch let error as ServiceGroupError {
    print("run() has thrown: \(error.errorCode)")
}
SWIFT
cd "$work"
swift build --quiet -Xswiftc -gnone >build.log 2>&1 || { cat build.log; exit 1; }
echo "tested: services of swift-service-lifecycle 2.13.0 that end while another one is asked to"
for behaviour in ignore shutdown; do
    seen=$(timeout 20 .build/debug/turns "$behaviour")
    echo "seen ($behaviour): $seen"
    case $seen in *'has thrown: A service has finished unexpectedly'*) ;; *) exit 1 ;; esac
done
