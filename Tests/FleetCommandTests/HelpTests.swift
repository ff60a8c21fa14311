import ArgumentParser
import Foundation
import Testing

@testable import ProcessSupport
@testable import controller
@testable import device_sim
@testable import fleet
@testable import observer

/// Help texts are the first thing that users read, so they are compared literally: a change appears in the
/// review.
///
/// `SENSIBUS_WRITE_SNAPSHOTS=1 make test FILTER=HelpTests` rewrites the files.
@Suite("Help texts")
struct HelpTests {
    /// A command with the words that invoke it.
    struct Entry: Sendable, CustomTestStringConvertible {
        let root: any ParsableCommand.Type
        let command: any ParsableCommand.Type
        let parts: [String]

        var testDescription: String { parts.joined(separator: " ") }
        var fileName: String { parts.joined(separator: "-") + ".txt" }
        var text: String { root.helpMessage(for: command, includeHidden: true, columns: 100) + "\n" }
    }

    private static let roots: [any ParsableCommand.Type] = [
        Fleet.self, ControllerCommand.self, DeviceSimCommand.self, ObserverCommand.self,
    ]

    private static let entries = roots.flatMap { entries($0, of: $0, after: []) }

    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Snapshots")

    private static let writes = ProcessInfo.processInfo.environment["SENSIBUS_WRITE_SNAPSHOTS"] == "1"

    private static func entries(
        _ command: any ParsableCommand.Type, of root: any ParsableCommand.Type, after parts: [String]
    ) -> [Entry] {
        let parts = parts + [command._commandName]
        return [Entry(root: root, command: command, parts: parts)]
            + command.configuration.subcommands.flatMap { entries($0, of: root, after: parts) }
    }

    /// The options of a connection, which most commands have: stored once, and named in the other snapshots.
    private static let sharedFile = "connection-options.txt"

    private static let shared: String = {
        let text = Fleet.helpMessage(for: WhoamiCommand.self, includeHidden: true, columns: 100)
        let start = text.firstRange(of: "  --run-dir")?.lowerBound ?? text.startIndex
        let end = text.firstRange(of: "  --json ")?.lowerBound ?? text.endIndex
        return String(text[start..<end])
    }()

    @Test("each help text equals its snapshot", arguments: entries)
    func snapshot(entry: Entry) throws {
        try compare(entry.text.replacing(Self.shared, with: "{\(Self.sharedFile)}\n"), with: entry.fileName)
    }

    @Test("the shared options equal their snapshot")
    func sharedOptions() throws {
        #expect(Self.shared.hasPrefix("  --run-dir") && !Self.shared.contains("--json "))
        try compare(Self.shared, with: Self.sharedFile)
    }

    private func compare(_ text: String, with fileName: String) throws {
        let file = Self.directory.appending(path: fileName)
        if Self.writes {
            try FileManager.default.createDirectory(at: Self.directory, withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let stored = try String(contentsOf: file, encoding: .utf8)
        #expect(text == stored, "if this change is intended, rewrite \(fileName)")
    }

    @Test("every help snapshot belongs to an existing command")
    func noneLeftOver() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.directory.path())
        let strangers = Set(files).subtracting(Self.entries.map(\.fileName) + [Self.sharedFile])
        #expect(strangers.isEmpty)
    }

    @Test("the examples in each help text are parsed and valid", arguments: entries)
    func examples(entry: Entry) throws {
        let discussion = entry.command.configuration.discussion
        let parts = discussion.split(separator: "EXAMPLES", maxSplits: 1).last ?? ""
        let lines = parts.split(separator: "\n").map { $0.drop { $0 == " " } }
        let examples = lines.filter { $0.hasPrefix("\(entry.parts[0]) ") || $0 == entry.parts[0] }
        #expect(discussion.contains("EXAMPLES") && !examples.isEmpty)
        for example in examples {
            let arguments = arguments(of: example)
            #expect(throws: Never.self, "\(example)") {
                var command = try entry.root.parseAsRoot(arguments)
                try command.validate()
            }
        }
    }

    private static let commands = Set(
        entries.filter { $0.parts.count > 1 }.map { $0.parts.prefix(2).joined(separator: " ") })

    @Test("an installed program names no command of a build", arguments: entries)
    func installed(entry: Entry) {
        let text = Program.installed(entry.text.replacing("USAGE: ", with: "  "))
        let words = text.split { !($0.isLetter || $0 == "-") }.map(String.init)
        for (place, next) in zip(words.indices, words.dropFirst()) {
            let before = place > 0 ? words[place - 1] : ""
            let command = "\(words[place]) \(next)"
            guard Self.commands.contains(command) else { continue }
            #expect(["sensibus", "a", "the", "running"].contains(before), "\(before) \(command)")
        }
    }

    /// The words after the program's name, up to a pipe, a redirection or a remark.
    ///
    /// Quoted text is one word.
    private func arguments(of example: Substring) -> [String] {
        let line = example.split(separator: "   ").first ?? example
        var arguments: [String] = []
        var rest = line[...]
        while let mark = rest.firstIndex(where: { "\"'|<>".contains($0) }) {
            arguments += rest[..<mark].split(separator: " ").map(String.init)
            let quoted = rest[rest.index(after: mark)...]
            guard "\"'".contains(rest[mark]), let end = quoted.firstIndex(of: rest[mark]) else {
                return Array(arguments.dropFirst())
            }
            arguments.append(String(quoted[..<end]))
            rest = quoted[quoted.index(after: end)...]
        }
        arguments += rest.split(separator: " ").map(String.init)
        return Array(arguments.dropFirst())
    }
}
