#!/bin/sh
# Guess: with `@Option var offset: Double`, the arguments `--offset -0.5` give -0.5, as in Python's argparse, and `-5` is a
# value of an `@Argument` of numbers: no option of the command looks like a number. What happens: both are errors, "Missing
# value" and "Unknown option", whatever the type. `--offset=-0.5` works, and so does `-- -5`.
# Versions: swift-argument-parser 1.8.2, Swift 6.3. Source: SplitArguments.swift and ArgumentSet.swift.
# Every option that can be negative needs `parsing: .unconditional`, as those of `fleet calibrate` have it.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/Sources/offset"
cat >"$work/Package.swift" <<'SWIFT'
// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "offset",
    dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")],
    targets: [
        .executableTarget(
            name: "offset", dependencies: [.product(name: "ArgumentParser", package: "swift-argument-parser")])
    ])
SWIFT
cat >"$work/Sources/offset/main.swift" <<'SWIFT'
import ArgumentParser
import Glibc

struct Plain: ParsableCommand {
    @Option var offset: Double = 0
    @Argument var numbers: [Double] = []
}

struct Unconditional: ParsableCommand {
    @Option(parsing: .unconditional) var offset: Double = 0
}

func offset(_ arguments: String...) -> String {
    let result: String
    do {
        let parsed = try Plain.parse(arguments)
        result = "\(parsed.offset), numbers \(parsed.numbers)"
    } catch {
        result = Plain.message(for: error)
    }
    print("seen: \(arguments.joined(separator: " ")): \(result)")
    return result
}

let apart = offset("--offset", "-0.5")
let joined = offset("--offset=-0.5")
let argument = offset("-5")
let ended = offset("--", "-5")
let unconditional = try Unconditional.parse(["--offset", "-0.5"]).offset
print("seen: with parsing: .unconditional, --offset -0.5: \(unconditional)")
let isRefused = apart.hasPrefix("Missing value") && argument.hasPrefix("Unknown option")
let isTaken = joined.hasPrefix("-0.5,") && ended == "0.0, numbers [-5.0]" && unconditional == -0.5
exit(isRefused && isTaken ? 0 : 1)
SWIFT
echo "tested: swift-argument-parser 1.8.2"
python3 -c 'from argparse import ArgumentParser
parser = ArgumentParser()
parser.add_argument("--offset", type=float)
print("seen: the argparse of Python, --offset -0.5:", parser.parse_args(["--offset", "-0.5"]).offset)'
swift build --package-path "$work" -debug-info-format none --disable-index-store >"$work/log" 2>&1 || {
  cat "$work/log"
  exit 1
}
"$work/.build/debug/offset"
