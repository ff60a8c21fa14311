import Wording

/// One JSON object on one line, its keys in the order in which they are given.
///
/// Characters that a terminal would act upon, or not show, are written as escapes, so that a line may be
/// looked at as it is.
struct JSONLine {
    private(set) var bytes: [UInt8] = []
    private var isFirst = true

    init() {
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "{"))
    }

    mutating func put(_ key: StaticString, _ text: String?) {
        begin(key)
        if let text { quote(text) } else { appendNull() }
    }

    mutating func put(_ key: StaticString, _ number: (some BinaryInteger)?) {
        begin(key)
        if let number { bytes.append(contentsOf: String(number).utf8) } else { appendNull() }
    }

    mutating func put(_ key: StaticString, _ flag: Bool) {
        begin(key)
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Puts an object within the object, or null.
    mutating func put(_ key: StaticString, _ inner: JSONLine?) {
        begin(key)
        guard let inner else { return appendNull() }
        bytes.append(contentsOf: inner.bytes)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Ends the object and the line, and appends both to an output.
    consuming func end(into output: inout [UInt8]) {
        output.append(contentsOf: bytes)
        output.append(UInt8(ascii: "}"))
        output.append(UInt8(ascii: "\n"))
    }

    private mutating func begin(_ key: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: key.description.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func appendNull() {
        bytes.append(contentsOf: "null".utf8)
    }

    private mutating func quote(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        guard !text.utf8.allSatisfy(Self.isPlain) else { return bytes.append(contentsOf: text.utf8) }
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": bytes.append(contentsOf: "\\\"".utf8)
            case "\\": bytes.append(contentsOf: "\\\\".utf8)
            case "\n": bytes.append(contentsOf: "\\n".utf8)
            case "\t": bytes.append(contentsOf: "\\t".utf8)
            default:
                if SafeText.isSafe(scalar) {
                    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
                } else {
                    for unit in String(scalar).utf16 { escape(unit) }
                }
            }
        }
    }

    /// Whether a byte is ASCII that needs no escape, as nearly all are.
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x20...0x7e).contains(byte) && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape(_ unit: UInt16) {
        let digits = String(unit, radix: 16)
        bytes.append(contentsOf: "\\u".utf8)
        bytes.append(contentsOf: String(repeating: "0", count: 4 - digits.utf8.count).utf8)
        bytes.append(contentsOf: digits.utf8)
    }
}
