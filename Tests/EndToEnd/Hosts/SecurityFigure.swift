import FleetProtocol
import Foundation
import Testing

/// A row of `docs/SECURITY-FIGURES.md`: an attack, the bound, and the measured figure.
struct SecurityFigure: Codable {
    let under: String
    let bound: String
    let seen: String
    let isMet: Bool

    /// Prints the row for `Tests/security-figures`, and fails the test if it is not met.
    func report(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print("figure: " + String(decoding: try encoder.encode(self), as: UTF8.self))
        #expect(isMet, "\(under): \(seen), \(bound)", sourceLocation: sourceLocation)
    }

    static func text(_ duration: Duration) -> String {
        let milliseconds = duration / .milliseconds(1)
        return milliseconds < 1_000
            ? String(format: "%.1f ms", milliseconds) : String(format: "%.2f s", milliseconds / 1_000)
    }
}
