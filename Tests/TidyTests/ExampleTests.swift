import Testing

/// The examples in the documentation of the libraries.
@Suite("Examples of the documentation")
struct ExampleTests {
    private static let modules = ["Bus", "FleetClient", "FleetProtocol", "FleetReplica"]

    /// An example, as the lines between its fences without indentation.
    private struct Example {
        let place: String
        let lines: [Substring]
    }

    @Test("each example of a library's documentation is part of a compiled snippet")
    func compiled() throws {
        let snippets = try Tree("Snippets").files.map { $0.lines.map(\.unindented) }
        var count = 0
        for module in Self.modules {
            let sources = try Tree("Sources/\(module)").files.filter { !$0.isGenerated }
                .map { ($0.path, Self.comments(in: $0.lines)) }
            let pages = try Tree.pages(of: module).map { ($0, try Tree.lines(of: $0)) }
            let examples = (sources + pages).flatMap(Self.examples)
            #expect(examples.count >= 2, "\(module) has few examples")
            count += examples.count
            for example in examples {
                let isPart = snippets.contains { $0.contains(example.lines) }
                #expect(isPart, "\(example.place): the lines are in no file of Snippets")
            }
        }
        #expect(count > 10)
    }

    @Test("the text of a documentation comment does not include its code")
    func extraction() {
        let comment = ["  /// Text.", "  /// ```swift", "  ///     run()", "  /// ```", "  func run() {}"]
        let examples = Self.examples(in: "A.swift", Self.comments(in: comment))
        #expect(examples.map(\.lines) == [["run()"]])
        #expect(examples.map(\.place) == ["A.swift:2"])
    }

    /// The lines with only the text of documentation comments.
    private static func comments(in lines: [String]) -> [String] {
        lines.map { $0.unindented.hasPrefix("///") ? String($0.unindented.dropFirst(3)) : "" }
    }

    private static func examples(in path: String, _ lines: [String]) -> [Example] {
        var examples: [Example] = []
        var start: Int?
        for (index, line) in lines.map(\.unindented).enumerated() where line.hasPrefix("```") {
            if let begun = start {
                let code = lines[(begun + 1)..<index].map(\.unindented)
                examples.append(Example(place: "\(path):\(begun + 1)", lines: code))
                start = nil
            } else if line == "```swift" {
                start = index
            }
        }
        return examples
    }
}

extension String {
    fileprivate var unindented: Substring { Substring(utf8.drop { $0 == UInt8(ascii: " ") }) }
}
