import ArgumentParser
import Foundation
import Glibc
import ProcessSupport
import Testing

@testable import fleet

@Suite("fleet backup", .timeLimit(.minutes(1)))
struct BackupCommandTests {
    /// Makes a backup with a program in the place of the controller's; returns what it printed.
    private func backUp(with script: String) async throws -> String {
        let place = try TemporaryRunDirectory()
        let directory = place.directory.path
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: "\(directory)/controller"))
        try #require(chmod("\(directory)/controller", 0o700) == 0)
        let line = ["backup", "\(directory)/copy", "--run-dir", directory]
        let output = try await Fleet.output(of: line, status: .refused) {
            $0.executable = "\(directory)/fleet"
        }
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/copy"))
        return output.talk
    }

    @Test(
        "a backup without a copy of the store says how the controller's program ended",
        arguments: [
            ("kill -TERM $$", "controller was ended by signal 15"),
            ("exit 3", "controller exited with status 3"),
            ("echo the disk is full >&2; exit 1", "were not copied: the disk is full"),
        ])
    func endOfProgram(script: String, reason: String) async throws {
        let talk = try await backUp(with: script)
        #expect(talk.contains("\(reason)\n"), "\(talk)")
    }
}
