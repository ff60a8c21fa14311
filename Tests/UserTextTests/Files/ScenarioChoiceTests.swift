import DeviceCore
import Foundation
import Glibc
import Testing
import UserFiles

@Suite("ScenarioChoice")
struct ScenarioChoiceTests {
    /// Calls a closure with an empty directory that is removed afterwards.
    private func inDirectory(_ body: (String) throws -> Void) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { _ = Result { try FileManager.default.removeItem(at: directory) } }
        try body(directory.path())
    }

    private func message(of argument: String, in directory: String = "/") -> String {
        do {
            _ = try ScenarioChoice(argument, relativeTo: directory)
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test("a name chooses a ready-made scenario", arguments: ReadyMadeScenario.allCases)
    func name(readyMade: ReadyMadeScenario) throws {
        let choice = try ScenarioChoice(readyMade.rawValue, relativeTo: "/")
        #expect(choice.scenario == (try readyMade.scenario()))
        #expect(choice.argument == readyMade.rawValue)
    }

    @Test("an unknown name is refused with the known names and the closest one")
    func unknown() {
        #expect(message(of: "ofice-day").contains("no scenario 'ofice-day'; did you mean office-day?"))
        #expect(message(of: "storm").contains("scenarios: quiet, lively, calm, office-day, flaky-wifi"))
        #expect(message(of: "").contains("no scenario ''"))
        #expect(message(of: "\u{1b}[31m").contains("'\u{fffd}[31m'"))
    }

    @Test(
        "a path chooses a file, which is named after itself and passed on by its absolute path")
    func file() throws {
        try inDirectory { directory in
            for file in ["my day.yaml", "b.yml", "plain"] {
                try Data("infrared: {loss: 0.5}".utf8).write(to: URL(filePath: "\(directory)/\(file)"))
            }
            for (argument, name) in [("my day.yaml", "my day"), ("./b.yml", "b"), ("./plain", "plain")] {
                let choice = try ScenarioChoice(argument, relativeTo: directory)
                #expect(choice.scenario.name == name)
                #expect(choice.scenario.infrared.loss == 0.5)
                #expect(choice.argument == "\(directory)/\(argument)")
                #expect(try ScenarioChoice(choice.argument, relativeTo: "/nowhere") == choice)
            }
        }
    }

    @Test("a file that cannot be read is refused with the reason")
    func unreadable() throws {
        try inDirectory { directory in
            #expect(
                message(of: "none.yaml", in: directory).hasPrefix(
                    "none.yaml: no such file; name a readable file"))
            #expect(message(of: directory).contains("not a regular file"))
            #expect(mkfifo("\(directory)/pipe.yaml", 0o600) == 0)
            #expect(message(of: "pipe.yaml", in: directory).contains("not a regular file"))
            #expect(message(of: "/dev/zero").contains("not a regular file"))
        }
    }

    @Test("a file of a tebibyte is refused after reading no more than the limit")
    func large() throws {
        try inDirectory { directory in
            let path = "\(directory)/large.yaml"
            #expect(FileManager.default.createFile(atPath: path, contents: Data("about: x".utf8)))
            #expect(truncate(path, 1 << 40) == 0)
            #expect(message(of: path).contains("more than 64 KiB; allowed: at most 64 KiB"))
        }
    }
}
