import Foundation
import Glibc
import ProcessSupport
import Testing

extension EndToEnd {
    @Suite("Hardening and scheduling of a fleet's processes")
    struct HardeningTests {
        private static let names = ["supervisor", "controller", "gateway", "node-1"]

        @Test("processes write no core files, create files for their user only, and gain no privileges")
        func limits() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                for name in Self.names {
                    let process = try await Self.process(name, in: lab)
                    let coreSize = try process.line("limits", "Max core file size")
                    #expect(coreSize == ["0", "0", "bytes"], "\(name)")
                    #expect(try process.line("status", "Umask:") == ["0077"], "\(name)")
                    #expect(try process.line("status", "NoNewPrivs:") == ["1"], "\(name)")
                }
            }
        }

        @Test("with a mail program, only supervisor and controller may gain privileges")
        func mailer() async throws {
            try await Lab.withFleet(gateway: true, ["--outbox-command", "/bin/true"]) { lab in
                for name in Self.names {
                    let expected = ["supervisor", "controller"].contains(name) ? "0" : "1"
                    let process = try await Self.process(name, in: lab)
                    #expect(try process.line("status", "NoNewPrivs:") == [expected], "\(name)")
                }
            }
        }

        @Test(
            "no program writes characters of its arguments that a terminal obeys",
            arguments: ["fleet", "controller", "device-sim", "gateway", "http-load", "observer"])
        func echo(program: String) async throws {
            let mark = "\u{1b}]0;x\u{7}\u{202e}"
            try await Lab.withLab { lab in
                let words = program == "fleet" ? [["--\(mark)"], ["wait", "name=\(mark)"]] : [["--\(mark)"]]
                for line in words + [[mark]] {
                    let ended = try await lab.run(program, line)
                    #expect(ended.status != 0)
                    #expect(!ended.talk.contains("\u{1b}") && !ended.talk.contains("\u{202e}"), "\(line)")
                }
            }
        }

        @Test(
            "the observer and the controller's threads beside its loop have the batch policy, others the usual one",
            .timeLimit(.minutes(1)))
        func scheduling() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                for name in Self.names {
                    let process = try await Self.process(name, in: lab)
                    #expect(!SchedulingPolicy.isBatch(process.id), "\(name)")
                    let isBatch = try process.threads().contains(where: SchedulingPolicy.isBatch)
                    #expect(isBatch == (name == "controller"), "\(name)")
                }
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let process = ProcessFiles(id: try #require(await observer.processID))
                    let threads = try process.threads()
                    #expect(threads.count > 1 && threads.allSatisfy(SchedulingPolicy.isBatch))
                }
            }
        }

        private static func process(_ name: String, in lab: Lab) async throws -> ProcessFiles {
            guard name == "supervisor" else { return ProcessFiles(id: try await lab.processID(name)) }
            let line = try String(contentsOfFile: lab.file("supervisor.lock"), encoding: .utf8)
            return ProcessFiles(id: try #require(Int32(line.trimmingCharacters(in: .newlines))))
        }
    }
}

/// The files of a process in `/proc`.
private struct ProcessFiles {
    let id: Int32

    /// The IDs of its threads.
    func threads() throws -> [Int32] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task").compactMap { Int32($0) }
    }

    /// The words of a line of one of its files, after the words that the line begins with.
    func line(_ file: String, _ beginning: String) throws -> [String] {
        let text = try String(contentsOfFile: "/proc/\(id)/\(file)", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix(beginning) }
        let rest = try #require(line, "\(file) has no line \(beginning)").dropFirst(beginning.count)
        return rest.split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
