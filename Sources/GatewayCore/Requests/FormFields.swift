import FleetProtocol

/// Named texts as a query or a form has them: `apiKey=KEY&fields=id%2Croom`.
public struct FormFields: Sendable {
    /// Fields that are read at most; what follows is passed over.
    public static let limit = 64

    private var values: [String: String] = [:]

    /// The fields of a text; of two with one name the first counts, and what is no field is passed over.
    public init(_ text: some StringProtocol) {
        for field in text.split(separator: "&", maxSplits: Self.limit).prefix(Self.limit) {
            let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            guard values[name] == nil else { continue }
            values[name] = parts.count > 1 ? Self.decoded(parts[1]) : ""
        }
    }

    /// The value of that name; nil where there is none.
    public subscript(name: String) -> String? { values[name] }

    /// A text with `+` as a blank and `%` before two digits undone; what is no escape stays as it is.
    private static func decoded(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                if let value = [UInt8](hexadecimal: String(decoding: rest.prefix(2), as: UTF8.self))?.first {
                    bytes.append(value)
                    rest = rest.dropFirst(2)
                } else {
                    bytes.append(byte)
                }
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
