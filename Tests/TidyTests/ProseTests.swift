import Foundation
import Testing

/// Plain technical English, as far as a program can check it.
///
/// The words are not wrong in themselves. A text that needs them mostly names neither who acts nor what
/// happens, so that readers have to guess, and searches find nothing.
@Suite("Language of comments, messages and documents")
struct ProseTests {
    /// Words in 1,000 words of a module that may be among those to avoid.
    private static let budget = 2.0

    /// The expressions of `avoided-expressions.txt`: the field has a term for them, or they do not name their
    /// subject.
    private func avoided() throws -> NSRegularExpression {
        let lines = try Tree.lines(of: "Tests/TidyTests/avoided-expressions.txt")
        let patterns = lines.filter { !$0.hasPrefix("#") }
        try #require(patterns.count > 5)
        return try NSRegularExpression(pattern: patterns.joined(separator: "|"), options: .caseInsensitive)
    }

    /// The number of words, and the lines with expressions to avoid.
    private struct Count {
        var words = 0
        var findings: [String] = []

        mutating func add(_ text: String, at place: String, _ avoided: NSRegularExpression) {
            words += text.split { !$0.isLetter && $0 != "'" }.count
            let found = avoided.numberOfMatches(in: text, range: NSRange(text.startIndex..., in: text))
            findings += Array(repeating: "\(place): \(text.trimmed)", count: found)
        }
    }

    @Test(
        "each module has at most two expressions to avoid in 1,000 words",
        arguments: [["Sources", "Tools/Sources"], ["Tests", "Tools/Tests"]])
    func modules(folders: [String]) throws {
        let avoided = try avoided()
        var counts: [String: Count] = [:]
        for file in try folders.flatMap({ try Tree($0).files }) where !file.isGenerated {
            guard !file.path.hasSuffix("ProseTests.swift") else { continue }
            for (index, line) in file.lines.enumerated() {
                for text in Self.texts(of: line) {
                    counts[file.module, default: Count()].add(text, at: "\(file.path):\(index + 1)", avoided)
                }
            }
        }
        #expect(counts.count > 10)
        for (module, count) in counts { expectPlain(count, of: module) }
    }

    @Test("the documents have at most two expressions to avoid in 1,000 words")
    func documents() throws {
        let avoided = try avoided()
        var count = Count()
        for path in try Tree.documents() {
            var isCode = false
            for (index, line) in try Tree.lines(of: path).enumerated() {
                if line.hasPrefix("```") { isCode.toggle() }
                if !isCode {
                    count.add(line.replacing(/`[^`]*`/, with: ""), at: "\(path):\(index + 1)", avoided)
                }
            }
        }
        #expect(count.words > 10_000)
        expectPlain(count, of: "documents")
    }

    @Test("what the libraries publish is described by one sentence first, which lists show alone")
    func summaries() throws {
        let libraries: Set = ["Bus", "FleetClient", "FleetProtocol", "FleetReplica"]
        var (documented, findings) = (0, [String]())
        for file in try Tree("Sources").files where libraries.contains(file.module) && !file.isGenerated {
            var comment: [Substring] = []
            for (index, line) in file.lines.enumerated() {
                let text = line.trimmed
                if text.hasPrefix("///") { comment.append(text.dropFirst(3)) }
                if text.hasPrefix("///") || text.hasPrefix("@") { continue }
                if text.hasPrefix("public "), !comment.isEmpty {
                    documented += 1
                    let first = comment.prefix { !$0.isEmpty }.joined()
                    let isOne = !first.contains(/[.!?] +[A-Z`]/)
                    if !isOne { findings.append("\(file.path):\(index + 1): \(first)") }
                }
                comment = []
            }
        }
        #expect(findings.isEmpty, "\(findings.joined(separator: "\n"))")
        #expect(documented > 500)
    }

    private func expectPlain(_ count: Count, of module: String) {
        let allowed = max(1, Int(Double(count.words) / 1_000 * Self.budget))
        #expect(
            count.findings.count <= allowed,
            "\(module): \(count.findings.count) of \(count.words) words, and \(allowed) are allowed:\n\(count.findings.joined(separator: "\n"))"
        )
    }

    /// The comment and the string literals of a line, without code in backquotes.
    private static func texts(of line: String) -> [String] {
        let hasLiteral = line.contains("\"")
        guard hasLiteral || line.contains("//") else { return [] }
        let literals =
            hasLiteral ? line.matches(of: /"((?:[^"\\]|\\.)*)"/).map { String($0.output.1) } : []
        let rest = hasLiteral ? line.replacing(/"(?:[^"\\]|\\.)*"/, with: "") : line
        let comment = rest.firstRange(of: "//").map { rest[$0.upperBound...].drop { $0 == "/" } }
        return (literals.filter { $0.contains(" ") } + [comment.map(String.init)].compactMap(\.self))
            .map { $0.contains("`") ? $0.replacing(/`[^`]*`/, with: "") : $0 }
    }
}

extension String {
    fileprivate var trimmed: Substring { self[...].drop { $0 == " " } }
}
