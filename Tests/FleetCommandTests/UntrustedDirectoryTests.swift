import ArgumentParser
import Foundation
import Glibc
import ProcessSupport
import Testing

@testable import fleet

@Suite("A run directory that another user may have made", .timeLimit(.minutes(1)))
struct UntrustedDirectoryTests {
    /// A `.sensibus` in its own directory, whose locks are links to a file outside of it.
    private struct Trap {
        let place: TemporaryRunDirectory
        /// The target of the links.
        let victim: String

        init() throws {
            place = try TemporaryRunDirectory()
            victim = "\(place.directory.path)/victim"
            try Data("precious".utf8).write(to: URL(filePath: victim))
            let trap = RunDirectory(path: "\(place.directory.path)/.sensibus")
            try trap.create()
            for name in ["supervisor", "controller"] {
                try #require(symlink(victim, trap.lockFile(for: name)) == 0)
            }
        }

        var path: String { "\(place.directory.path)/.sensibus" }

        /// Runs a command in a directory below the one with the trap: it is not permitted, says so, and
        /// leaves the target as it is.
        func refuse(_ line: [String], saying text: String) async throws {
            let output = try await Fleet.output(of: line, status: .notPermitted) {
                $0.workingDirectory = "\(place.directory.path)/below"
                $0.terminal.readLine = {
                    Issue.record("a password was asked for")
                    return "secret"
                }
            }
            #expect(output.talk.contains(text))
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
        }
    }

    private static let commands = [
        ["down"], ["status"], ["toggle", "x"], ["login", "ada@example.org", "--password-stdin"],
        ["signup", "ada@example.org", "--password-stdin"], ["logs"], ["restart", "controller"],
    ]

    @Test(
        "commands in a directory that others can write ask for no password and change nothing",
        arguments: commands)
    func refused(line: [String]) async throws {
        let trap = try Trap()
        try #require(chmod(trap.path, 0o777) == 0)
        try await trap.refuse(line, saying: "chmod 700 \(trap.path)")
    }

    @Test(
        "commands in a directory of another user ask for no password and change nothing",
        .enabled(if: geteuid() == 0, "only root gives files away"), arguments: commands)
    func foreign(line: [String]) async throws {
        let trap = try Trap()
        try #require(chown(trap.path, 65_534, 65_534) == 0)
        try await trap.refuse(line, saying: "belongs to user 65534: run this as that user")
    }

    @Test("a lock that is a symbolic link is not followed", arguments: [["down"], ["up"]])
    func linkedLock(line: [String]) async throws {
        let trap = try Trap()
        try await trap.refuse(line + ["--run-dir", trap.path], saying: "supervisor.lock is a symbolic link")
    }
}
