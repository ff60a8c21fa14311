import ConformanceSupport
import Foundation
import Testing

/// `docs/reference/protocol.md`, whose exchange is generated between two marks.
struct Document {
    private static let place = VectorFile.repository.appending(path: "docs/reference/protocol.md")
    private static let begin = "<!-- the exchange begins: made by ConformanceTests -->"
    private static let end = "<!-- the exchange ends -->"

    /// The lines between the marks.
    let exchange: [String]

    /// The current document; its exchange is rewritten first if requested.
    static func read(writing exchange: [String]) throws -> Document {
        let lines = try String(contentsOf: place, encoding: .utf8).components(separatedBy: "\n")
        let first = try #require(
            lines.firstIndex(of: begin), "the document has no mark at the beginning of the exchange")
        let last = try #require(
            lines.firstIndex(of: end), "the document has no mark at the end of the exchange")
        guard VectorFile.isWriting else { return Document(exchange: Array(lines[(first + 1)..<last])) }
        let made = lines[...first] + exchange + lines[last...]
        try made.joined(separator: "\n").write(to: place, atomically: true, encoding: .utf8)
        return Document(exchange: exchange)
    }
}
