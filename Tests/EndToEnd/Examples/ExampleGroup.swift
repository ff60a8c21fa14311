import Foundation

/// Command lines that the documentation shows together, in order.
struct ExampleGroup: Equatable {
    /// The source: `README.md`, or `fleet toggle --help`.
    let origin: String
    /// The lines, as a user would type them.
    let lines: [String]
}

/// The examples of README.md: its blocks of commands, and the commands in its sentences.
struct ReadmeExamples {
    /// Programs that a line of a block may begin with.
    private static let programs = Set(HelpExamples.programs + ["make", "export", "curl", "kill"])
    /// The beginnings of blocks that show a command's output.
    private static let outputs = ["Sensibus demo", "offered "]

    /// The blocks, then the commands in sentences, one group for each.
    private(set) var groups: [ExampleGroup] = []
    /// First lines of blocks that are neither commands nor known output.
    private(set) var unknownBlocks: [String] = []

    /// The examples of a text.
    init(_ text: String) {
        var block: [String]?
        var isProgram = false
        var sentences: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("```") {
                // Snippets in Swift and tests in Python are run by tests of their own.
                if let ended = block, !isProgram { add(ended) }
                isProgram = line == "```swift" || line == "```python"
                block = block == nil ? [] : nil
            } else if block != nil {
                block?.append(line)
            } else {
                sentences += Self.commands(in: line)
            }
        }
        groups += sentences.map { ExampleGroup(origin: "README.md", lines: [$0]) }
    }

    private mutating func add(_ block: [String]) {
        let lines = block.filter { !$0.allSatisfy(\.isWhitespace) }
        guard let first = lines.first else { return }
        if Self.isCommand(first) {
            groups.append(ExampleGroup(origin: "README.md", lines: lines))
        } else if !Self.outputs.contains(where: first.hasPrefix) {
            unknownBlocks.append(first)
        }
    }

    private static func isCommand(_ line: String) -> Bool {
        let word = line.prefix { !$0.isWhitespace }
        return programs.contains(String(word)) || word.contains("=$(")
    }

    /// Commands of the fleet's programs, with arguments, between backticks.
    private static func commands(in line: String) -> [String] {
        let spans = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        return spans.filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }.filter { span in
            let program = span.prefix { !$0.isWhitespace }
            return program.count < span.count
                && (HelpExamples.programs.contains(String(program)) || program == "make")
        }
    }
}

/// The examples in every `--help` of a program and its subcommands.
struct HelpExamples {
    /// The fleet's executables.
    static let programs = ["fleet", "observer", "device-sim", "controller", "gateway"]

    private struct Dump: Decodable {
        let command: Command
    }

    private struct Command: Decodable {
        let commandName: String
        let discussion: String?
        let subcommands: [Command]?
    }

    /// A group for each command.
    private(set) var groups: [ExampleGroup] = []
    /// Commands whose help has no example.
    private(set) var without: [String] = []

    /// The examples in the output of `--experimental-dump-help`.
    init(dump: String) throws {
        let command = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
        add(command, after: [])
    }

    private mutating func add(_ command: Command, after words: [String]) {
        // The command `help` is part of the parser.
        guard command.commandName != "help" else { return }
        let words = words + [command.commandName]
        let name = words.joined(separator: " ")
        let lines = Self.lines(in: command.discussion ?? "")
        if lines.isEmpty { without.append(name) }
        groups.append(ExampleGroup(origin: "\(name) --help", lines: lines))
        for subcommand in command.subcommands ?? [] { add(subcommand, after: words) }
    }

    /// The lines below `EXAMPLES`, up to an empty one, without remarks, which follow three spaces.
    private static func lines(in discussion: String) -> [String] {
        guard let start = discussion.range(of: "EXAMPLES\n")?.upperBound else { return [] }
        let block = discussion[start...].split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { !$0.isEmpty }
        let joined = block.map { $0.drop { $0 == " " } }.joined(separator: "\n").replacing("\\\n", with: "")
        return joined.split(separator: "\n").map { line in
            line.range(of: "   ").map { String(line[..<$0.lowerBound]) } ?? String(line)
        }
    }
}
