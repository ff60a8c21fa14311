import Foundation
import Glibc
import ProcessSupport
import Testing

extension EndToEnd {
    @Suite("Hardening and scheduling of a fleet's processes", .timeLimit(.minutes(1)))
    struct HardeningTests {
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
            "processes have no core files, privileges or files for others, and the usual or the batch policy",
            arguments: [[], ["--outbox-command", "/bin/true"]])
        func processes(options: [String]) async throws {
            try await Lab.withFleet(gateway: true, options) { lab in
                for name in ["supervisor", "controller", "gateway", "node-1"] {
                    let isSupervisor = name == "supervisor"
                    let process = ProcessFiles(
                        id: isSupervisor ? try lab.supervisorID() : try await lab.processID(name))
                    let coreSize = try process.line("limits", "Max core file size")
                    #expect(coreSize == ["0", "0", "bytes"], "\(name)")
                    #expect(try process.line("status", "Umask:") == ["0077"], "\(name)")
                    let startsMailer = !options.isEmpty && ["supervisor", "controller"].contains(name)
                    let privileges = try process.line("status", "NoNewPrivs:")
                    #expect(privileges == [startsMailer ? "0" : "1"], "\(name) \(options)")
                    #expect(!SchedulingPolicy.isBatch(process.id), "\(name)")
                    let isBatch = try process.threads().contains(where: SchedulingPolicy.isBatch)
                    #expect(isBatch == (name == "controller"), "\(name)")
                }
                try await TestObserver.with(lab) { observer in
                    let process = ProcessFiles(id: try #require(await observer.processID))
                    let threads = try process.threads()
                    #expect(threads.count > 1 && threads.allSatisfy(SchedulingPolicy.isBatch))
                }
            }
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
