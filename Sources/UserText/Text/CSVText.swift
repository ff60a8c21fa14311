/// Records of comma-separated values (RFC 4180).
public struct CSVText: Sendable {
    /// The characters that require quotation marks around a field.
    private static let marks: Set<UInt8> = [
        UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"),
    ]
    private static let formulaMarks: Set<Character> = ["=", "+", "-", "@", "\t", "\r"]

    /// Whether an apostrophe precedes each text that a spreadsheet would take for a formula.
    private let isSafe: Bool

    /// Records for programs, or those that are safe to open with a spreadsheet.
    public init(isSafe: Bool = false) { self.isSafe = isSafe }

    /// Returns a record without its line break; fields are quoted if necessary.
    public func record(_ fields: [String]) -> String {
        fields.map { field in
            let text = isSafe && Self.isFormula(field) ? "'\(field)" : field
            let isPlain = !text.utf8.contains { Self.marks.contains($0) }
            return isPlain ? text : "\"\(text.replacing("\"", with: "\"\""))\""
        }.joined(separator: ",")
    }

    /// Whether a spreadsheet would calculate the text; false for a number with a sign.
    private static func isFormula(_ field: String) -> Bool {
        guard let first = field.first, formulaMarks.contains(first) else { return false }
        let isSigned = first == "-" || first == "+"
        return !isSigned || !field.dropFirst().allSatisfy { $0.isASCII && $0.isNumber || $0 == "." }
    }
}
