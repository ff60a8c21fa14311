import ArgumentParser
import Foundation
import Testing

@testable import device_sim

@Suite("device-sim explain")
struct ExplainTests {
    @Test("an invalid scenario file is a usage error that lists every error")
    func wrongFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).yaml")
        defer { _ = Result { try FileManager.default.removeItem(at: file) } }
        try Data("clock:\n  sped: 3\nanswer: soon\n".utf8).write(to: file)
        for command in ["explain", "run"] {
            let error = try #require(
                #expect(throws: (any Error).self) {
                    try DeviceSimCommand.parseAsRoot([command, "--scenario", file.path()])
                })
            #expect(DeviceSimCommand.exitCode(for: error).rawValue == 64)
            let text = DeviceSimCommand.fullMessage(for: error)
            #expect(text.contains("2 problems:\n\(file.path()):2:3: clock.sped: found an unknown key"))
            #expect(text.contains("\n\(file.path()):3:9: answer: found 'soon'"))
        }
    }

    @Test(
        "invalid arguments of explain are usage errors",
        arguments: [
            ("explain", "scenario"), ("explain --scenario storm", "worst-day"),
            ("explain --scenario quiet --devices 0", "1000000"),
            ("explain --scenario quiet --devices 1000001", "1000000"),
        ])
    func usage(line: String, hint: String) throws {
        let error = try #require(
            #expect(throws: (any Error).self) {
                try DeviceSimCommand.parseAsRoot(line.split(separator: " ").map(String.init))
            })
        #expect(DeviceSimCommand.exitCode(for: error).rawValue == 64)
        #expect(DeviceSimCommand.fullMessage(for: error).contains(hint))
    }
}
