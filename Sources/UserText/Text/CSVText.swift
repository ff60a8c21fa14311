/// Records of comma-separated values (RFC 4180).
public enum CSVText {
    /// The characters that require quotation marks around a field.
    private static let marks: Set<UInt8> = [
        UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"),
    ]

    /// Returns a record without its line break; fields are quoted if necessary.
    public static func record(_ fields: [String]) -> String {
        fields.map { field in
            let isPlain = !field.utf8.contains { marks.contains($0) }
            return isPlain ? field : "\"\(field.replacing("\"", with: "\"\""))\""
        }.joined(separator: ",")
    }
}
