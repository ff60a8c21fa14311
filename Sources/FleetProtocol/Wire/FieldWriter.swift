// Speed: see performance.md, "fields".
/// Writes the fields of protobuf messages, in the order of the calls.
///
/// As in `proto3`, a number, Boolean or text that is 0, false or empty is omitted if absence means the same;
/// an `optional` value or a message is always written if it exists.
struct FieldWriter: ~Copyable {
    private static let bufferBytes = 256
    private static let longestKey = 5
    private static let longestVarint = 10

    private var earlier: [UInt8] = []
    private var buffer = [256 of UInt8](repeating: 0)
    private var count = 0

    init() {}

    consuming func finish() -> [UInt8] {
        flush()
        return earlier
    }

    mutating func reserve(_ count: Int) { earlier.reserveCapacity(earlier.count + self.count + count) }

    /// Writes a `uint32`, a `uint64` or the number of an enum's case.
    @inline(__always)
    mutating func put(_ number: Int, _ value: some FixedWidthInteger & UnsignedInteger) {
        if value != 0 { put(number, present: value) }
    }

    /// Writes an `optional uint64` or the number of an `optional` enum's case, also if it is 0.
    @inline(__always)
    mutating func put(_ number: Int, optional value: (some FixedWidthInteger & UnsignedInteger)?) {
        if let value { put(number, present: value) }
    }

    @inline(__always)
    mutating func put(_ number: Int, _ value: some FixedWidthInteger & SignedInteger) {
        if value != 0 { put(number, present: value.zigzagged) }
    }

    /// Writes an `optional sint32` or `optional sint64`, also if it is 0.
    @inline(__always)
    mutating func put(_ number: Int, optional value: (some FixedWidthInteger & SignedInteger)?) {
        if let value { put(number, present: value.zigzagged) }
    }

    @inline(__always)
    mutating func put(_ number: Int, _ value: Bool) {
        if value { put(number, present: UInt8(1)) }
    }

    /// Writes an `optional bool`, also if it is false.
    @inline(__always)
    mutating func put(_ number: Int, optional value: Bool?) {
        if let value { put(number, present: value ? 1 : UInt8(0)) }
    }

    @inline(__always)
    mutating func put(_ number: Int, fixed value: UInt64) {
        guard value != 0 else { return }
        makeSpace(for: Self.longestKey + 8)
        append(varint: Self.key(number, type: 1))
        append(fixed: value)
    }

    mutating func put(_ number: Int, _ value: Double) { put(number, fixed: value.bitPattern) }

    mutating func put(_ number: Int, _ text: String) {
        if !text.isEmpty { put(number, element: text) }
    }

    /// Writes an `optional string`, also if it is empty.
    mutating func put(_ number: Int, optional text: String?) {
        if let text { put(number, element: text) }
    }

    /// Writes the next element of a `repeated string`, also if it is empty.
    mutating func put(_ number: Int, element text: String) { put(number, text.utf8Span.span) }

    mutating func put(_ number: Int, _ value: [UInt8]) {
        if !value.isEmpty { put(number, value.span) }
    }

    @inline(__always)
    mutating func put(_ number: Int, _ device: DeviceID) {
        put(number, devices: 1) { _ in device }
    }

    /// Writes a `repeated string` of a number of device IDs.
    @inline(__always)
    mutating func put(_ number: Int, devices count: Int, _ device: (Int) -> DeviceID) {
        for place in 0..<count {
            makeSpace(for: Self.longestKey + 1 + DeviceID.length)
            append(varint: Self.key(number, type: 2))
            append(UInt8(DeviceID.length))
            append(fixed: device(place).bits.byteSwapped)
        }
    }

    @inline(__always)
    mutating func put(_ number: Int, _ message: some WireFields) {
        put(number) { message.write(to: &$0) }
    }

    @inline(__always)
    mutating func put(_ number: Int, message fields: (inout FieldWriter) -> Void) {
        let start = beginMessage(Self.key(number, type: 2))
        fields(&self)
        endMessage(start)
    }

    // Speed: see performance.md, "references".
    /// Writes a packed `repeated` field of numbers or Booleans: one value for each row.
    @inline(__always)
    mutating func put(_ number: Int, column rows: Int, _ value: (Int) -> some PackedElement) {
        guard rows > 0 else { return }
        put(number) { fields in
            for place in 0..<rows {
                fields.makeSpace(for: Self.longestVarint)
                fields.append(varint: value(place).bits)
            }
        }
    }

    /// Writes a packed `repeated fixed64`: one value for each row.
    @inline(__always)
    mutating func put(_ number: Int, fixedColumn rows: Int, _ value: (Int) -> UInt64) {
        guard rows > 0 else { return }
        put(number) { fields in
            for place in 0..<rows {
                fields.makeSpace(for: 8)
                fields.append(fixed: value(place))
            }
        }
    }

    /// Writes a number; most keys and values have one byte.
    @inline(__always)
    private mutating func put(_ number: Int, present value: some FixedWidthInteger & UnsignedInteger) {
        let key = Self.key(number, type: 0)
        guard key < 0x80, value < 0x80, UInt(bitPattern: count) <= Self.bufferBytes - 2 else {
            return put(key: key, UInt64(value))
        }
        append(UInt8(truncatingIfNeeded: key))
        append(UInt8(truncatingIfNeeded: value))
    }

    @inline(never)
    private mutating func put(key: UInt64, _ value: UInt64) {
        makeSpace(for: Self.longestKey + Self.longestVarint)
        append(varint: key)
        append(varint: value)
    }

    private mutating func put(_ number: Int, _ bytes: borrowing Span<UInt8>) {
        makeSpace(for: 2 * Self.longestKey)
        append(varint: Self.key(number, type: 2))
        append(varint: UInt64(bytes.count))
        if bytes.count > Self.bufferBytes - count {
            flush()
            earlier.append(addingCapacity: bytes.count) { copy in
                for place in bytes.indices { copy.append(bytes[place]) }
            }
        } else {
            let tail = bytes.count & ~7
            for place in stride(from: 0, to: tail, by: 8) { append(fixed: bytes.fixed64(at: place)) }
            for place in tail..<bytes.count { append(bytes[place]) }
        }
    }

    /// Writes a message's key, and a byte for its length, whose index it returns.
    private mutating func beginMessage(_ key: UInt64) -> Int {
        makeSpace(for: Self.longestKey + 1)
        append(varint: key)
        append(0)
        return earlier.count &+ count &- 1
    }

    private mutating func endMessage(_ start: Int) {
        let place = start &- earlier.count
        let length = count &- place &- 1
        guard place >= 0, length < 0x80 else { return setLength(at: start) }
        buffer[place] = UInt8(truncatingIfNeeded: length)
    }

    /// Sets the length of a message that ends here, by moving its bytes if the length needs more than one.
    @inline(never)
    private mutating func setLength(at start: Int) {
        flush()
        var rest = earlier.count - start - 1
        var place = start
        earlier[place] = UInt8(truncatingIfNeeded: rest) & 0x7f
        while rest >= 0x80 {
            earlier[place] |= 0x80
            rest >>= 7
            place += 1
            earlier.insert(UInt8(truncatingIfNeeded: rest) & 0x7f, at: place)
        }
    }

    @inline(__always)
    private mutating func makeSpace(for bytes: Int) {
        guard UInt(bitPattern: count) > Self.bufferBytes - bytes else { return }
        flush()
        count = 0
    }

    @inline(never)
    private mutating func flush() {
        earlier.append(addingCapacity: count) { space in
            space.append(repeating: 0, count: count)
            var copy = space.mutableSpan
            let bytes = buffer.span.extracting(0..<copy.count)
            for place in bytes.indices { copy[place] = bytes[place] }
        }
        count = 0
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        buffer[count] = byte
        count &+= 1
    }

    @inline(__always)
    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest &>>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    @inline(__always)
    private mutating func append(fixed value: UInt64) {
        var span = buffer.mutableSpan
        var bytes = span.mutableBytes
        bytes.storeBytes(of: value.littleEndian, toByteOffset: count, as: UInt64.self)
        count &+= 8
    }

    @inline(__always)
    private static func key(_ number: Int, type: UInt64) -> UInt64 { UInt64(number) &<< 3 | type }
}
