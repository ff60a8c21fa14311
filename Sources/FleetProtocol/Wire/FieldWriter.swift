/// Writes the fields of protobuf messages, in the order of the calls.
///
/// As in `proto3`, a number, Boolean or text that is 0, false or empty is omitted if absence means the same;
/// an `optional` value or a message is always written if it exists.
struct FieldWriter {
    /// The maximum number of bytes of a varint.
    private static let longestVarint = 10

    /// The written bytes.
    private(set) var bytes: [UInt8] = []

    /// An empty writer, with capacity for a typical message.
    init() { bytes.reserveCapacity(160) }

    /// Reserves capacity for a number of further bytes.
    mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

    /// Writes a `uint32`, a `uint64` or the number of an enum's case.
    mutating func put(_ number: Int, _ value: some FixedWidthInteger & UnsignedInteger) {
        if value != 0 { put(number, present: value) }
    }

    /// Writes an `optional uint64` or the number of an `optional` enum's case, also if it is 0.
    mutating func put(_ number: Int, optional value: (some FixedWidthInteger & UnsignedInteger)?) {
        if let value { put(number, present: value) }
    }

    /// Writes a `sint32` or a `sint64`.
    mutating func put(_ number: Int, _ value: some FixedWidthInteger & SignedInteger) {
        if value != 0 { put(number, present: value.zigzagged) }
    }

    /// Writes an `optional sint32` or `optional sint64`, also if it is 0.
    mutating func put(_ number: Int, optional value: (some FixedWidthInteger & SignedInteger)?) {
        if let value { put(number, present: value.zigzagged) }
    }

    /// Writes a `bool`.
    mutating func put(_ number: Int, _ value: Bool) {
        if value { put(number, present: UInt8(1)) }
    }

    /// Writes an `optional bool`, also if it is false.
    mutating func put(_ number: Int, optional value: Bool?) {
        if let value { put(number, present: value ? 1 : UInt8(0)) }
    }

    /// Writes a `fixed64`.
    mutating func put(_ number: Int, fixed value: UInt64) {
        guard value != 0 else { return }
        put(key: number, type: 1)
        append(fixed: value)
    }

    /// Writes a `double`.
    mutating func put(_ number: Int, _ value: Double) { put(number, fixed: value.bitPattern) }

    /// Writes a `string`.
    mutating func put(_ number: Int, _ text: String) {
        if !text.isEmpty { put(number, element: text) }
    }

    /// Writes an `optional string`, also if it is empty.
    mutating func put(_ number: Int, optional text: String?) {
        if let text { put(number, element: text) }
    }

    /// Writes the next element of a `repeated string`, also if it is empty.
    mutating func put(_ number: Int, element text: String) {
        put(key: number, type: 2)
        append(varint: UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a `bytes`.
    mutating func put(_ number: Int, _ value: [UInt8]) {
        guard !value.isEmpty else { return }
        put(key: number, type: 2)
        append(varint: UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a device's id as a `string`.
    mutating func put(_ number: Int, _ device: DeviceID) {
        put(number, devices: 1) { _ in device }
    }

    /// Writes a `repeated string` of a number of device IDs.
    @inline(__always)
    mutating func put(_ number: Int, devices count: Int, _ device: (Int) -> DeviceID) {
        bytes.append(addingCapacity: (Self.longestVarint + 1 + DeviceID.length) * count) { span in
            for place in 0..<count {
                span.append(varint: Self.key(number, type: 2))
                span.append(UInt8(DeviceID.length))
                span.append(fixed: device(place).bits.byteSwapped)
            }
        }
    }

    /// Writes a message.
    mutating func put(_ number: Int, _ message: some WireFields) {
        put(number) { message.write(to: &$0) }
    }

    /// Writes a message with the given fields.
    mutating func put(_ number: Int, message fields: (inout FieldWriter) -> Void) {
        put(key: number, type: 2)
        let start = bytes.count
        bytes.append(0)
        fields(&self)
        let length = bytes.count - start - 1
        bytes[start] = UInt8(truncatingIfNeeded: length) & 0x7f
        guard length >= 0x80 else { return }
        bytes[start] |= 0x80
        var rest = length >> 7
        var place = start + 1
        while rest >= 0x80 {
            bytes.insert(UInt8(truncatingIfNeeded: rest) | 0x80, at: place)
            place += 1
            rest >>= 7
        }
        bytes.insert(UInt8(rest), at: place)
    }

    /// Writes a packed `repeated` field of numbers or Booleans: one value for each row.
    ///
    /// The values are read by index, because passing a row would copy it, including its name.
    @inline(__always)
    mutating func put(_ number: Int, column rows: Int, _ value: (Int) -> some PackedElement) {
        guard rows > 0 else { return }
        put(number) { fields in
            fields.bytes.append(addingCapacity: Self.longestVarint * rows) { span in
                for place in 0..<rows { span.append(varint: value(place).bits) }
            }
        }
    }

    /// Writes a packed `repeated fixed64`: one value for each row.
    @inline(__always)
    mutating func put(_ number: Int, fixedColumn rows: Int, _ value: (Int) -> UInt64) {
        guard rows > 0 else { return }
        put(number) { fields in
            fields.bytes.append(addingCapacity: 8 * rows) { span in
                for place in 0..<rows { span.append(fixed: value(place)) }
            }
        }
    }

    private mutating func put(_ number: Int, present value: some FixedWidthInteger & UnsignedInteger) {
        put(key: number, type: 0)
        append(varint: UInt64(value))
    }

    private mutating func put(key number: Int, type: UInt64) {
        append(varint: Self.key(number, type: type))
    }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    private mutating func append(fixed value: UInt64) {
        bytes.append(addingCapacity: 8) { $0.append(fixed: value) }
    }

    private static func key(_ number: Int, type: UInt64) -> UInt64 { UInt64(number) &<< 3 | type }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    fileprivate mutating func append(fixed value: UInt64) {
        for offset in 0..<8 { append(UInt8(truncatingIfNeeded: value &>> UInt64(8 &* offset))) }
    }
}
