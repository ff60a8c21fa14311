/// A JSON value. The members of objects keep their order, and numbers their digits, so that a text that was
/// parsed is written again.
public enum JSONTree: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The digits of a number, such as `21.0`.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object([Member])

    public struct Member: Hashable, Sendable {
        public let key: String
        public var value: JSONTree

        public init(_ key: String, _ value: JSONTree) { (self.key, self.value) = (key, value) }
    }

    /// A text that is not JSON.
    public struct Invalid: Error, Hashable, Sendable {
        /// The line of the first byte that is not expected, from 1.
        public let line: Int
    }

    /// The value of the first member with that key; nil without a member, and for other values than objects.
    public subscript(key: String) -> JSONTree? { members.first { $0.key == key }?.value }

    public var members: [Member] { if case .object(let members) = self { members } else { [] } }

    public var items: [JSONTree]? { if case .array(let items) = self { items } else { nil } }

    public var text: String? { if case .string(let text) = self { text } else { nil } }

    public var flag: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The number, if it is finite.
    public var number: Double? {
        guard case .number(let digits) = self, let number = Double(digits), number.isFinite else {
            return nil
        }
        return number
    }

    /// The number in tenths, rounded; nil for another value, and beyond 16 bits.
    public var tenths: Int16? { number.flatMap { Int16(exactly: ($0 * 10).rounded()) } }
}

extension JSONTree: JSONWritable {
    public func write(to json: inout JSONWriter) {
        switch self {
        case .null: json.null()
        case .bool(let flag): json.bool(flag)
        case .number(let digits): json.raw(Array(digits.utf8))
        case .string(let text): json.string(text)
        case .array(let items): items.write(to: &json)
        case .object(let members):
            json.object { json in
                for member in members {
                    json.key(named: member.key)
                    member.value.write(to: &json)
                }
            }
        }
    }
}

extension JSONTree {
    /// The depth of nested arrays and objects at most.
    private static let depth = 64

    /// Parses a text (RFC 8259), perhaps behind a byte order mark.
    public init(parsing text: [UInt8]) throws(Invalid) {
        var reader = Reader(text: text, place: text.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0)
        guard let value = reader.value(depth: 0), reader.next() == nil else {
            let line = 1 + text.prefix(reader.place).count { $0 == UInt8(ascii: "\n") }
            throw Invalid(line: line)
        }
        self = value
    }

    /// Reads values one after another; nil at the first byte that is not expected.
    private struct Reader {
        let text: [UInt8]
        var place: Int

        /// Returns the next byte that is not white space, and stays before it.
        mutating func next() -> UInt8? {
            while place < text.count, [0x20, 0x0a, 0x0d, 0x09].contains(text[place]) { place += 1 }
            return place < text.count ? text[place] : nil
        }

        mutating func value(depth: Int) -> JSONTree? {
            guard depth <= JSONTree.depth, let byte = next() else { return nil }
            switch Unicode.Scalar(byte) {
            case "{": return list("}") { $0.member(depth: depth + 1) }.map(JSONTree.object)
            case "[": return list("]") { $0.value(depth: depth + 1) }.map(JSONTree.array)
            case "\"": return string().map(JSONTree.string)
            case "t": return word("true", .bool(true))
            case "f": return word("false", .bool(false))
            case "n": return word("null", .null)
            default: return number()
            }
        }

        /// Reads the values of an array or an object from its opening bracket on.
        private mutating func list<Value>(
            _ end: Unicode.Scalar, _ read: (inout Reader) -> Value?
        ) -> [Value]? {
            place += 1
            var values: [Value] = []
            if next() == UInt8(ascii: end), step(end) { return values }
            repeat {
                guard let value = read(&self) else { return nil }
                values.append(value)
                _ = next()
            } while step(",")
            return step(end) ? values : nil
        }

        private mutating func member(depth: Int) -> Member? {
            guard next() == UInt8(ascii: "\""), let key = string(), next() == UInt8(ascii: ":"), step(":"),
                let value = value(depth: depth)
            else { return nil }
            return Member(key, value)
        }

        private mutating func step(_ scalar: Unicode.Scalar) -> Bool {
            guard place < text.count, text[place] == UInt8(ascii: scalar) else { return false }
            place += 1
            return true
        }

        private mutating func word(_ word: String, _ value: JSONTree) -> JSONTree? {
            for scalar in word.unicodeScalars where !step(scalar) { return nil }
            return value
        }

        private mutating func number() -> JSONTree? {
            let start = place
            _ = step("-")
            guard step("0") || digits() else { return nil }
            if step("."), !digits() { return nil }
            if step("e") || step("E") {
                _ = step("+") || step("-")
                guard digits() else { return nil }
            }
            return .number(String(decoding: text[start..<place], as: UTF8.self))
        }

        private mutating func digits() -> Bool {
            let start = place
            while place < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[place]) {
                place += 1
            }
            return place > start
        }

        private mutating func string() -> String? {
            place += 1
            var bytes: [UInt8] = []
            while place < text.count, text[place] >= 0x20 {
                if step("\"") { return String(validating: bytes, as: UTF8.self) }
                if step("\\") {
                    guard let scalar = escape() else { return nil }
                    bytes += String(scalar).utf8
                } else {
                    bytes.append(text[place])
                    place += 1
                }
            }
            return nil
        }

        /// Reads an escape behind its backslash; half of a surrogate pair becomes a replacement character.
        private mutating func escape() -> Unicode.Scalar? {
            let escapes: [(Unicode.Scalar, Unicode.Scalar)] = [
                ("\"", "\""), ("\\", "\\"), ("/", "/"), ("n", "\n"), ("t", "\t"), ("r", "\r"),
                ("b", "\u{8}"), ("f", "\u{c}"),
            ]
            for (letter, scalar) in escapes where step(letter) { return scalar }
            guard step("u"), let first = unit() else { return nil }
            guard (0xd800..<0xdc00).contains(first) else { return Unicode.Scalar(first) ?? "\u{fffd}" }
            let end = place
            if step("\\"), step("u"), let second = unit(), (0xdc00..<0xe000).contains(second) {
                return Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
            }
            place = end
            return "\u{fffd}"
        }

        private mutating func unit() -> UInt32? {
            let digits = text[place..<min(place + 4, text.count)]
            guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                return nil
            }
            place += 4
            return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        }
    }
}
