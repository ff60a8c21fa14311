// Speed: see performance.md, "references".
/// Reads the fields of one protobuf message, in any order.
///
/// As protobuf requires (<https://protobuf.dev/programming-guides/encoding/>), a field that is unknown, or
/// has another type than expected, is skipped; the last value of a repeated scalar counts, and the parts of a
/// repeated submessage are merged. The time to read is proportional to the number of bytes, however they are
/// divided.
struct FieldReader: ~Copyable {
    /// The maximum depth of skipped groups, which have been obsolete for many years.
    private static let groupDepth = 16
    /// The largest key, of the field with number 2²⁹ - 1.
    private static let largestKey: UInt64 = 1 << 32 - 1

    private var bytes: [UInt8]
    /// The index after the value of the current field.
    private var place: Int
    private var end: Int
    /// The current field's number, shifted, and the type of its value.
    private var key: UInt64 = 0
    /// The value of the current field if it is a number, and its length if it is delimited.
    private var value: UInt64 = 0

    init(_ bytes: [UInt8]) { self.init(bytes, 0..<bytes.count) }

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    // Speed: see performance.md, "fields".
    /// Starts the next field and returns its number; nil after the last.
    @inline(__always)
    mutating func next() throws(WireError) -> Int? {
        guard place < end else { return nil }
        try readKey()
        switch key & WireType.mask {
        case WireType.varint, WireType.delimited:
            value = try readVarint()
            guard key & WireType.mask == WireType.delimited else { break }
            guard value <= UInt64(end &- place) else { throw .notDecodable }
            place &+= Int(truncatingIfNeeded: value)
        case WireType.fixed64:
            guard end &- place >= 8 else { throw .notDecodable }
            value = bytes.span.fixed64(at: place)
            place &+= 8
        default:
            place = try Self.endOfRareValue(key, in: bytes, place..<end)
            value = 0
        }
        return Int(key >> 3)
    }

    /// Reads a `uint32`, a `uint64` or the number of an enum's case, truncated to the bits of its type.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(_ value: inout Number) throws(WireError) {
        if has(WireType.varint) { value = Number(truncatingIfNeeded: self.value) }
    }

    /// Reads an `optional uint64` or the number of an `optional` enum's case.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number?
    ) throws(WireError) {
        if has(WireType.varint) { value = Number(truncatingIfNeeded: self.value) }
    }

    /// Reads a `sint32` or a `sint64`, truncated to the bits of its type.
    mutating func read<Number: FixedWidthInteger & SignedInteger>(_ value: inout Number) throws(WireError) {
        if has(WireType.varint) { value = Number(zigzag: self.value) }
    }

    /// Reads an `optional sint32` or `optional sint64`.
    mutating func read<Number: FixedWidthInteger & SignedInteger>(_ value: inout Number?) throws(WireError) {
        if has(WireType.varint) { value = Number(zigzag: self.value) }
    }

    mutating func read(_ value: inout Bool) throws(WireError) {
        if has(WireType.varint) { value = self.value != 0 }
    }

    mutating func read(_ value: inout Bool?) throws(WireError) {
        if has(WireType.varint) { value = self.value != 0 }
    }

    mutating func read(fixed value: inout UInt64) throws(WireError) {
        if has(WireType.fixed64) { value = self.value }
    }

    mutating func read(_ value: inout Double) throws(WireError) {
        if has(WireType.fixed64) { value = Double(bitPattern: self.value) }
    }

    /// Reads a `string`; one that is not UTF-8 is not decodable.
    mutating func read(_ value: inout String) throws(WireError) {
        if has(WireType.delimited) { value = try text() }
    }

    mutating func read(_ value: inout String?) throws(WireError) {
        if has(WireType.delimited) { value = try text() }
    }

    /// Reads the next element of a `repeated string`.
    mutating func read(_ values: inout [String]) throws(WireError) {
        if has(WireType.delimited) { values.append(try text()) }
    }

    mutating func read(_ value: inout [UInt8]) throws(WireError) {
        if has(WireType.delimited) { value = Array(bytes[range]) }
    }

    /// Reads a `string` with a device's ID; nil for an invalid ID.
    mutating func read(_ value: inout DeviceID?) throws(WireError) {
        if has(WireType.delimited) { value = device }
    }

    /// Reads the next element of a `repeated string` of device IDs.
    mutating func read(_ values: inout [DeviceID], field: String) throws(WireError) {
        guard has(WireType.delimited) else { return }
        guard let device else { throw .malformedDevice(field) }
        values.append(device)
    }

    /// Reads the place of the next message of a `repeated` field.
    mutating func read(_ places: inout [Range<Int>]) throws(WireError) {
        if has(WireType.delimited) { places.append(range) }
    }

    mutating func read(_ message: inout FieldReader?) throws(WireError) {
        guard has(WireType.delimited) else { return }
        let part = FieldReader(bytes, range)
        message = if let earlier = message.take() { FieldReader(try Self.join(earlier, part)) } else { part }
    }

    /// Reads a message of a `oneof`; a message of another field replaces the earlier one.
    mutating func read(_ choice: inout Choice?) throws(WireError) {
        guard has(WireType.delimited) else { return }
        let number = Int(key >> 3)
        guard let earlier = choice.take(), earlier.number == number else {
            return choice = Choice(number: number, bytes: bytes, range: range)
        }
        let whole = try Self.join(earlier.takeMessage(), FieldReader(bytes, range))
        choice = Choice(number: number, bytes: whole, range: whole.indices)
    }

    /// Reads the next message of a `repeated` field.
    mutating func read<Value: WireFields>(_ values: inout [Value]) throws(WireError) {
        if has(WireType.delimited) { values.append(try Value(wire: FieldReader(bytes, range))) }
    }

    /// Reads a `repeated` field of numbers or Booleans, packed or element by element.
    mutating func read<Element: PackedElement>(_ column: inout [Element]) throws(WireError) {
        if has(WireType.delimited) {
            var part = FieldReader(bytes, range)
            // Each element takes at least one byte.
            try column.append(addingCapacity: range.count) { span throws(WireError) in
                while part.place < part.end { span.append(Element(bits: try part.readVarint())) }
            }
        } else if has(WireType.varint) {
            column.append(Element(bits: value))
        }
    }

    /// Reads a `repeated fixed64`, packed or element by element.
    mutating func read(fixed column: inout [UInt64]) throws(WireError) {
        if has(WireType.delimited) {
            let range = range
            guard range.count.isMultiple(of: 8) else { throw .notDecodable }
            column.append(addingCapacity: range.count / 8) { span in
                for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    span.append(bytes.span.fixed64(at: place))
                }
            }
        } else if has(WireType.fixed64) {
            column.append(value)
        }
    }

    /// The bytes of the current field's value, which is delimited. Its start is not above its end, because
    /// ``next()`` has advanced by the length.
    private var range: Range<Int> { Range(uncheckedBounds: (place &- Int(truncatingIfNeeded: value), place)) }

    /// The device with the current field's value as ID; nil for an invalid ID.
    @inline(__always)
    private var device: DeviceID? {
        guard value == DeviceID.length else { return nil }
        return DeviceID(bits: bytes.span.fixed64(at: place &- DeviceID.length).byteSwapped)
    }

    private func text() throws(WireError) -> String {
        do {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw .notDecodable
        }
    }

    @inline(__always)
    private func has(_ type: UInt64) -> Bool { key & WireType.mask == type }

    /// Returns the bytes of a message with the fields of two parts of it; none has been read yet. Each part
    /// must be complete: a part does not continue in the next.
    @inline(never)
    private static func join(
        _ earlier: consuming FieldReader, _ part: borrowing FieldReader
    ) throws(WireError) -> [UInt8] {
        try part.passAll()
        // A first part follows its own key and length.
        if earlier.place > 0 {
            try earlier.passAll()
            earlier.bytes = Array(earlier.bytes[earlier.place..<earlier.end])
        }
        earlier.bytes += part.bytes[part.place..<part.end]
        return earlier.bytes
    }

    private borrowing func passAll() throws(WireError) {
        var fields = FieldReader(bytes, place..<end)
        while try fields.next() != nil {}
    }

    // Speed: see performance.md, "fields".
    /// Returns the index after a value of four bytes or a group; no other type is left.
    @inline(never)
    private static func endOfRareValue(
        _ key: UInt64, in bytes: [UInt8], _ range: Range<Int>
    ) throws(WireError) -> Int {
        var key = key
        var fields = FieldReader(bytes, range)
        var groups: [UInt64] = []
        repeat {
            switch key & WireType.mask {
            case WireType.varint: _ = try fields.readVarint()
            case WireType.fixed64: try fields.advance(by: 8)
            case WireType.fixed32: try fields.advance(by: 4)
            case WireType.delimited: try fields.advance(by: fields.readVarint())
            case WireType.groupStart:
                guard groups.count < groupDepth else { throw .notDecodable }
                groups.append(key >> 3)
            case WireType.groupEnd: guard groups.popLast() == key >> 3 else { throw .notDecodable }
            default: throw .notDecodable
            }
            guard !groups.isEmpty else { return fields.place }
            key = try fields.readVarint()
        } while key <= largestKey
        throw .notDecodable
    }

    private mutating func advance(by count: UInt64) throws(WireError) {
        guard count <= UInt64(end &- place) else { throw .notDecodable }
        place &+= Int(truncatingIfNeeded: count)
    }

    /// Reads a key; most have one byte.
    @inline(__always)
    private mutating func readKey() throws(WireError) {
        let first = bytes.span[place]
        if first > WireType.mask, first < 0x80 {
            key = UInt64(first)
            place &+= 1
        } else {
            (key, place) = try bytes.varint(at: place, before: end)
            guard key > WireType.mask, key <= Self.largestKey else { throw .notDecodable }
        }
    }

    /// Reads a varint; most have one byte.
    @inline(__always)
    private mutating func readVarint() throws(WireError) -> UInt64 {
        guard place < end else { throw .notDecodable }
        let first = bytes.span[place]
        guard first >= 0x80 else {
            place &+= 1
            return UInt64(first)
        }
        let value: UInt64
        (value, place) = try bytes.varint(at: place, before: end)
        return value
    }
}
