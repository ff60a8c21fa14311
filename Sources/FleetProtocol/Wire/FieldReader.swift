/// Reads the fields of one protobuf message, in any order.
///
/// As protobuf requires (<https://protobuf.dev/programming-guides/encoding/>), a field that is unknown, or
/// has another type than expected, is skipped; the last value of a repeated scalar counts, and the parts of a
/// repeated submessage are merged. The time to read is proportional to the number of bytes, however they are
/// divided.
struct FieldReader {
    /// The encoding of a field's value.
    private enum WireType: UInt64 {
        case varint, fixed64, delimited, groupStart, groupEnd, fixed32
    }

    /// The maximum depth of skipped groups, which have been obsolete for many years.
    private static let groupDepth = 16
    /// The highest field number.
    private static let largestNumber: UInt64 = 1 << 29 - 1

    private var bytes: [UInt8]
    private var place: Int
    private var end: Int
    /// The number of the current field.
    private var field = 0
    private var type = WireType.varint
    /// Whether the value of the current field must still be read or skipped.
    private var isPending = false

    /// A reader that starts at the first byte.
    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    /// A reader of a part of the bytes.
    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    /// Starts the next field and returns its number; nil after the last.
    mutating func next() throws(WireError) -> Int? {
        if isPending { try pass() }
        guard place < end else { return nil }
        let key = try readVarint()
        guard let type = WireType(rawValue: key & 7), type != .groupEnd,
            (1...Self.largestNumber).contains(key >> 3)
        else { throw .notDecodable }
        self.type = type
        field = Int(key >> 3)
        isPending = true
        return field
    }

    /// Reads a `uint32`, a `uint64` or the number of an enum's case, truncated to the bits of its type.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(_ value: inout Number) throws(WireError) {
        if begin(.varint) { value = Number(truncatingIfNeeded: try readVarint()) }
    }

    /// Reads an `optional uint64` or the number of an `optional` enum's case.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number?
    ) throws(WireError) {
        if begin(.varint) { value = Number(truncatingIfNeeded: try readVarint()) }
    }

    /// Reads a `sint32` or a `sint64`, truncated to the bits of its type.
    mutating func read<Number: FixedWidthInteger & SignedInteger>(_ value: inout Number) throws(WireError) {
        if begin(.varint) { value = Number(zigzag: try readVarint()) }
    }

    /// Reads an `optional sint32` or `optional sint64`.
    mutating func read<Number: FixedWidthInteger & SignedInteger>(_ value: inout Number?) throws(WireError) {
        if begin(.varint) { value = Number(zigzag: try readVarint()) }
    }

    /// Reads a `bool`.
    mutating func read(_ value: inout Bool) throws(WireError) {
        if begin(.varint) { value = try readVarint() != 0 }
    }

    /// Reads an `optional bool`.
    mutating func read(_ value: inout Bool?) throws(WireError) {
        if begin(.varint) { value = try readVarint() != 0 }
    }

    /// Reads a `fixed64`.
    mutating func read(fixed value: inout UInt64) throws(WireError) {
        if begin(.fixed64) { value = try readFixed64() }
    }

    /// Reads a `double`.
    mutating func read(_ value: inout Double) throws(WireError) {
        if begin(.fixed64) { value = Double(bitPattern: try readFixed64()) }
    }

    /// Reads a `string`; one that is not UTF-8 is not decodable.
    mutating func read(_ value: inout String) throws(WireError) {
        if begin(.delimited) { value = try readText() }
    }

    /// Reads an `optional string`.
    mutating func read(_ value: inout String?) throws(WireError) {
        if begin(.delimited) { value = try readText() }
    }

    /// Reads the next element of a `repeated string`.
    mutating func read(_ values: inout [String]) throws(WireError) {
        if begin(.delimited) { values.append(try readText()) }
    }

    /// Reads a `bytes`.
    mutating func read(_ value: inout [UInt8]) throws(WireError) {
        if begin(.delimited) { value = Array(bytes[try readRange()]) }
    }

    /// Reads a `string` with a device's ID; nil for an invalid ID.
    mutating func read(_ value: inout DeviceID?) throws(WireError) {
        if begin(.delimited) { value = DeviceID(wire: bytes[try readRange()]) }
    }

    /// Reads the next element of a `repeated string` of device IDs.
    mutating func read(_ values: inout [DeviceID], field: String) throws(WireError) {
        guard begin(.delimited) else { return }
        let range = try readRange()
        guard range.count == DeviceID.length,
            let value = DeviceID(bits: Self.fixed64(in: bytes, at: range.lowerBound).byteSwapped)
        else { throw .malformedDevice(field) }
        values.append(value)
    }

    /// Reads the place of the next message of a `repeated` field.
    mutating func read(_ places: inout [Range<Int>]) throws(WireError) {
        if begin(.delimited) { places.append(try readRange()) }
    }

    /// Reads a message.
    mutating func read(_ message: inout FieldReader?) throws(WireError) {
        guard begin(.delimited) else { return }
        let part = FieldReader(bytes, try readRange())
        if message == nil { message = part } else { try message?.join(part) }
    }

    /// Reads a message of a `oneof`; a message of another field replaces the earlier one.
    mutating func read(_ choice: inout Choice?) throws(WireError) {
        guard begin(.delimited) else { return }
        let part = FieldReader(bytes, try readRange())
        guard choice?.number == field else { return choice = Choice(number: field, message: part) }
        try choice?.message.join(part)
    }

    /// Reads the next message of a `repeated` field.
    mutating func read<Value: WireFields>(_ values: inout [Value]) throws(WireError) {
        guard begin(.delimited) else { return }
        values.append(try Value(wire: FieldReader(bytes, try readRange())))
    }

    /// Reads a `repeated` field of numbers or Booleans, packed or element by element.
    mutating func read<Element: PackedElement>(_ column: inout [Element]) throws(WireError) {
        if begin(.delimited) {
            let range = try readRange()
            var place = range.lowerBound
            // Each element takes at least one byte.
            try column.append(addingCapacity: range.count) { span throws(WireError) in
                while place < range.upperBound {
                    span.append(
                        Element(bits: try Self.varint(in: bytes, at: &place, before: range.upperBound)))
                }
            }
        } else if begin(.varint) {
            column.append(Element(bits: try readVarint()))
        }
    }

    /// Reads a `repeated fixed64`, packed or element by element.
    mutating func read(fixed column: inout [UInt64]) throws(WireError) {
        if begin(.delimited) {
            let range = try readRange()
            guard range.count.isMultiple(of: 8) else { throw .notDecodable }
            column.append(addingCapacity: range.count / 8) { span in
                for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    span.append(Self.fixed64(in: bytes, at: place))
                }
            }
        } else if begin(.fixed64) {
            column.append(try readFixed64())
        }
    }

    /// Returns whether the current field has a type; then its value is read next.
    private mutating func begin(_ type: WireType) -> Bool {
        guard self.type == type else { return false }
        isPending = false
        return true
    }

    /// Appends the fields of another part of this message to the others; none has been read yet.
    ///
    /// Parts are collected in a separate array, which grows by doubling, so that earlier ones are not copied
    /// for each new one. Each part must be complete: a part does not continue in the next.
    @inline(never)
    private mutating func join(_ part: FieldReader) throws(WireError) {
        try part.passAll()
        // A first part follows its own key and length.
        if place > 0 {
            try passAll()
            bytes = Array(bytes[place..<end])
            place = 0
        }
        bytes += part.bytes[part.place..<part.end]
        end = bytes.count
    }

    /// Skips all fields.
    private consuming func passAll() throws(WireError) {
        while try next() != nil {}
    }

    /// Skips the value of the current field.
    private mutating func pass() throws(WireError) {
        isPending = false
        var groups: [Int] = []
        while true {
            switch type {
            case .varint: _ = try readVarint()
            case .fixed64: try advance(by: 8)
            case .fixed32: try advance(by: 4)
            case .delimited: _ = try readRange()
            case .groupStart:
                guard groups.count < Self.groupDepth else { throw .notDecodable }
                groups.append(field)
            case .groupEnd:
                guard groups.popLast() == field else { throw .notDecodable }
            }
            guard !groups.isEmpty else { return }
            let key = try readVarint()
            guard let type = WireType(rawValue: key & 7), key >> 3 <= Self.largestNumber else {
                throw .notDecodable
            }
            self.type = type
            field = Int(key >> 3)
        }
    }

    private mutating func advance(by count: Int) throws(WireError) {
        guard count <= end - place else { throw .notDecodable }
        place += count
    }

    private mutating func readVarint() throws(WireError) -> UInt64 {
        try Self.varint(in: bytes, at: &place, before: end)
    }

    /// Reads a varint: seven bits in each byte, the lowest first; all bytes but the last have the eighth bit.
    @inline(__always)
    private static func varint(
        in bytes: [UInt8], at place: inout Int, before end: Int
    ) throws(WireError) -> UInt64 {
        guard place < end else { throw .notDecodable }
        let first = bytes[place]
        place &+= 1
        guard first >= 0x80 else { return UInt64(first) }
        var value = UInt64(first & 0x7f)
        var shift: UInt64 = 7
        while place < end, shift < 64 {
            let byte = bytes[place]
            place &+= 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
        throw .notDecodable
    }

    private mutating func readFixed64() throws(WireError) -> UInt64 {
        try advance(by: 8)
        return Self.fixed64(in: bytes, at: place &- 8)
    }

    private static func fixed64(in bytes: [UInt8], at start: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in 0..<8 { value |= UInt64(bytes[start &+ offset]) &<< UInt64(8 &* offset) }
        return value
    }

    /// Reads a length, and returns the range of as many bytes after it.
    private mutating func readRange() throws(WireError) -> Range<Int> {
        let length = try readVarint()
        guard length <= UInt64(end - place) else { throw .notDecodable }
        defer { place += Int(length) }
        return place..<(place + Int(length))
    }

    private mutating func readText() throws(WireError) -> String {
        let range = try readRange()
        do {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw .notDecodable
        }
    }
}
