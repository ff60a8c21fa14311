import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

extension EndToEnd {
    /// Programs that start others: a signal ends them within 2 s, and no child remains.
    @Suite("Programs that start programs", .timeLimit(.minutes(2)))
    struct ChildProgramTests {
        /// Scripts in place of programs: each writes its ID to a file, ignores signals, and does not end.
        private struct StandIns {
            let directory: String

            private var mark: String { "\(directory)/child" }

            /// Puts scripts beside a copy of `fleet`.
            init(in lab: Lab) throws {
                directory = "\(lab.directory)/stand-ins"
                let files = FileManager.default
                try files.createDirectory(atPath: directory, withIntermediateDirectories: false)
                try files.copyItem(atPath: lab.executable("fleet"), toPath: "\(directory)/fleet")
                for name in ["controller", "device-sim", "http-load", "xdg-open"] {
                    let path = "\(directory)/\(name)"
                    try lab.write(
                        """
                        #!/bin/sh
                        trap '' TERM INT
                        echo $$ >\(mark).new
                        mv \(mark).new \(mark)
                        exec sleep 600

                        """, to: path)
                    guard chmod(path, 0o700) == 0 else { throw CancellationError() }
                }
            }

            /// Runs a program until a script runs, sends it a signal, and judges the end of both.
            ///
            /// - Parameter act: Is carried out once the program runs.
            func judge(
                _ program: String, _ arguments: [String], by signal: Int32, in lab: Lab,
                act: @escaping @Sendable () async throws -> Void = {}
            ) async throws {
                let what = ([program] + arguments.prefix(2)).joined(separator: " ")
                let mark = mark
                _ = unlink(mark)
                let output = "\(directory)/output"
                let words = ["exec \"$@\" </dev/null >\"$0\" 2>&1", output, program] + arguments
                _ = try await lab.run("/bin/sh", ["-c"] + words) { process in
                    defer { kill(process, SIGKILL) }
                    try await act()
                    let child = Box<Int32>()
                    try await lab.eventually("\(what) starts a program", within: .seconds(20)) {
                        let text = try? String(contentsOfFile: mark, encoding: .utf8)
                        child.value = text.flatMap { Int32($0.trimmingCharacters(in: .newlines)) }
                        return child.value != nil || !Self.runs(process)
                    }
                    guard let child = child.value else {
                        let text = try? String(contentsOfFile: output, encoding: .utf8)
                        Issue.record("\(what) started no program: \(text ?? "")")
                        return
                    }
                    defer { kill(child, SIGKILL) }
                    kill(process, signal)
                    try await lab.eventually("\(what) ends after signal \(signal)", within: .seconds(2)) {
                        !Self.runs(process)
                    }
                    #expect(!Self.runs(child), "\(what) left its program after signal \(signal)")
                }
            }

            /// Whether a process runs; a zombie does not.
            private static func runs(_ process: Int32) -> Bool {
                let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
                guard let status, let name = status.lastIndex(of: ")") else { return false }
                return !status[name...].hasPrefix(") Z")
            }
        }

        @Test(
            "a signal ends programs that need no fleet, and what they started", arguments: [SIGTERM, SIGINT])
        func alone(signal: Int32) async throws {
            try await Lab.withLab { lab in
                let programs = try StandIns(in: lab)
                let fleet = "\(programs.directory)/fleet"
                try await programs.judge(fleet, ["doctor"], by: signal, in: lab)
                let place = "\(lab.directory)/source"
                try FileManager.default.createDirectory(
                    atPath: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
                try await programs.judge(fleet, ["backup", "copy", "--run-dir", place], by: signal, in: lab)
                #expect(access("\(lab.directory)/copy", F_OK) != 0)
                let up = ["up", "--devices", "2", "--gateway-port", "0", "--build-gateway"]
                try await programs.judge(
                    lab.executable("fleet"), up + ["\(programs.directory)/http-load"], by: signal, in: lab)
            }
        }

        @Test("a signal ends programs that use a fleet, and what they started", arguments: [SIGTERM, SIGINT])
        func withFleet(signal: Int32) async throws {
            let listen = ["--listen", "tcp://127.0.0.1:\(try Lab.freePort())"]
            try await Lab.withFleet(devices: 5, gateway: true, listen) { whole in
                let programs = try StandIns(in: whole)
                var lab = whole
                lab.variables["DISPLAY"] = ":0"
                lab.variables["PATH"] = "\(programs.directory):/usr/bin:/bin"
                let fleet = "\(programs.directory)/fleet"
                let load = ["load", "--duration", "1h", "--rate", "5"]
                let push = ["--metrics-push", "http://127.0.0.1:1/metrics/job/load"]
                let join = try await lab.invitation(["node", "--devices", "2"])
                for arguments in [
                    load + ["--target", "http"], load + push, ["open"],
                    join + ["--run-dir", "\(lab.directory)/joined"],
                ] { try await programs.judge(fleet, arguments, by: signal, in: lab) }
                let observer = ["--plain", "--notify", "\(programs.directory)/device-sim"]
                let shown = lab
                try await programs.judge(lab.executable("observer"), observer, by: signal, in: lab) {
                    try await shown.eventually("the observer follows", within: .seconds(20)) {
                        (try? shown.read("stand-ins/output"))?.contains("watching") == true
                    }
                    try await shown.succeed("inject", "offline", "Bedroom 1", "--for", "30s")
                }
            }
        }
    }
}
