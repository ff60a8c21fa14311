/// Mutations of a protobuf message that keep its structure: fields are removed, repeated, moved, renumbered
/// or changed, at any depth.
public struct ProtobufMutation {
    /// The deepest message that is taken apart.
    private static let depth = 6

    private enum Value {
        case varint(UInt64)
        case fixed64(UInt64)
        case fixed32(UInt32)
        case delimited([UInt8])
    }

    private struct Field {
        var number: UInt64
        var value: Value
    }

    private var random: any RandomNumberGenerator
    private let mutateBytes: ([UInt8]) -> [UInt8]

    /// Creates a mutation.
    ///
    /// - Parameters:
    ///   - random: The source of its choices.
    ///   - mutateBytes: Mutates the bytes of a string, or of a message that cannot be taken apart.
    public init(random: any RandomNumberGenerator, mutateBytes: @escaping ([UInt8]) -> [UInt8]) {
        (self.random, self.mutateBytes) = (random, mutateBytes)
    }

    /// Returns a mutated message.
    public mutating func mutated(_ message: [UInt8]) -> [UInt8] { mutated(message, depth: 0) }

    private mutating func mutated(_ message: [UInt8], depth: Int) -> [UInt8] {
        guard depth < Self.depth, var fields = Self.fields(of: message) else { return mutateBytes(message) }
        guard !fields.isEmpty, below(8) > 0 else {
            fields.insert(newField(), at: below(fields.count + 1))
            return Self.bytes(of: fields)
        }
        let place = below(fields.count)
        switch below(10) {
        case 0: fields.remove(at: place)
        case 1: fields.insert(fields[place], at: below(fields.count + 1))
        case 2: fields.swapAt(place, below(fields.count))
        case 3: fields[place].number = number(near: fields[place].number)
        case 4: fields[place].value = newField().value
        case 5: fields.removeSubrange(place...)
        default: fields[place].value = mutated(fields[place].value, depth: depth)
        }
        return Self.bytes(of: fields)
    }

    private mutating func mutated(_ value: Value, depth: Int) -> Value {
        switch value {
        case .varint(let number): .varint(mutated(number))
        case .fixed64(let number): .fixed64(mutated(number))
        case .fixed32(let number): .fixed32(UInt32(truncatingIfNeeded: mutated(UInt64(number))))
        case .delimited(let bytes):
            // A string may look like a message, and a message may need damage.
            .delimited(below(4) == 0 ? mutateBytes(bytes) : mutated(bytes, depth: depth + 1))
        }
    }

    /// Returns a number near the given one, or one at a bound of a type.
    private mutating func mutated(_ number: UInt64) -> UInt64 {
        switch below(5) {
        case 0: number &+ UInt64(1 + below(3))
        case 1: number &- UInt64(1 + below(3))
        case 2: number ^ 1 << UInt64(below(64))
        case 3: 1 << UInt64(below(64)) &- UInt64(below(2))
        default: UInt64(below(300))
        }
    }

    private mutating func number(near number: UInt64) -> UInt64 {
        below(2) == 0 ? UInt64(1 + below(24)) : max(1, (number &+ UInt64(below(5)) &- 2) & 0x1fff_ffff)
    }

    private mutating func newField() -> Field {
        let value: Value =
            switch below(6) {
            case 0, 1: .varint(mutated(0))
            case 2: .fixed64(random.next())
            case 3: .fixed32(UInt32(truncatingIfNeeded: random.next()))
            case 4: .delimited([])
            default: .delimited((0..<below(12)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
            }
        return Field(number: number(near: 1), value: value)
    }

    private mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

    // MARK: The format

    /// Returns the fields of a message; nil if the bytes are not one.
    private static func fields(of message: [UInt8]) -> [Field]? {
        var rest = message[...]
        var fields: [Field] = []
        while !rest.isEmpty {
            guard let key = varint(&rest), key >> 3 > 0, let value = value(key & 7, &rest) else { return nil }
            fields.append(Field(number: key >> 3, value: value))
        }
        return fields
    }

    private static func value(_ type: UInt64, _ rest: inout ArraySlice<UInt8>) -> Value? {
        switch type {
        case 0: return varint(&rest).map { .varint($0) }
        case 1: return fixed(8, &rest).map { .fixed64($0) }
        case 5: return fixed(4, &rest).map { .fixed32(UInt32(truncatingIfNeeded: $0)) }
        case 2:
            guard let length = varint(&rest), length <= UInt64(rest.count) else { return nil }
            defer { rest = rest.dropFirst(Int(length)) }
            return .delimited(Array(rest.prefix(Int(length))))
        default: return nil
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 70, by: 7) {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    private static func fixed(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> UInt64? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(of fields: [Field]) -> [UInt8] {
        var bytes: [UInt8] = []
        func put(_ number: UInt64) {
            var rest = number
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(rest))
        }
        func put(fixed number: UInt64, _ count: Int) {
            for offset in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * offset))) }
        }
        for field in fields {
            switch field.value {
            case .varint(let number):
                put(field.number << 3)
                put(number)
            case .fixed64(let number):
                put(field.number << 3 | 1)
                put(fixed: number, 8)
            case .fixed32(let number):
                put(field.number << 3 | 5)
                put(fixed: UInt64(number), 4)
            case .delimited(let content):
                put(field.number << 3 | 2)
                put(UInt64(content.count))
                bytes += content
            }
        }
        return bytes
    }
}
