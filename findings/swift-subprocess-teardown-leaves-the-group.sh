#!/bin/sh
# Guess: a teardown step with `toProcessGroup: true` ends the whole group of a started program, because the steps end
# with SIGKILL for the group. What happens: the steps stop as soon as the program itself has exited. A member of its
# group that ignores SIGTERM gets no SIGKILL, and lives on after `run` has returned.
# Versions: swift-subprocess 1.0.2 with Swift 6.3, Linux. Source: Execution.teardown(using:), in Teardown.swift.
# Whoever must leave nothing behind sends SIGKILL to the group once `run` has returned, as the controller's outbox does.
set -eu
work=$(mktemp -d)
member=
trap '[ -z "$member" ] || kill -KILL "$member" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$work/Sources/teardown"
cat >"$work/Package.swift" <<'SWIFT'
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "teardown",
    dependencies: [.package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2", traits: [])],
    targets: [
        .executableTarget(name: "teardown", dependencies: [.product(name: "Subprocess", package: "swift-subprocess")])
    ])
SWIFT
cat >"$work/Sources/teardown/main.swift" <<'SWIFT'
import Subprocess

// The program starts a member of its group that ignores SIGTERM, writes the member's ID, and waits.
let script = """
    (trap '' TERM; exec sleep 30) & echo $! >"$0.new"; mv "$0.new" "$0"
    while :; do sleep 0.1; done
    """
var options = PlatformOptions()
options.processGroupID = 0
options.teardownSequence = [
    .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
]
let (started, arguments) = (options, Arguments(["-c", script, CommandLine.arguments[1]]))
let run = Task {
    try await Subprocess.run(
        .name("sh"), arguments: arguments, platformOptions: started, output: .discarded, error: .discarded)
}
try await Task.sleep(for: .seconds(2))
run.cancel()
let status = try await run.value.terminationStatus
print("the program ended: \(status)")
SWIFT
cd "$work"
swift build --quiet -Xswiftc -gnone >build.log 2>&1 || { cat build.log; exit 1; }
echo "tested: what is left of a process group after the teardown of swift-subprocess 1.0.2"
.build/debug/teardown "$work/member"
member=$(cat "$work/member")
sleep 2
# A member that has ended and that nobody waits for is a zombie.
state=$(awk '{ print $3 }' "/proc/$member/stat" 2>/dev/null || echo gone)
if [ "$state" != gone ] && [ "$state" != Z ]; then
    echo "seen: the member that ignores SIGTERM still runs, 2 s after run() has returned"
else
    echo "changed: the member was ended, too"
    exit 1
fi
