/// Reads the fields of one protobuf message, in whatever order they come.
///
/// As protobuf has it (<https://protobuf.dev/programming-guides/encoding/>), a field that nobody reads, or
/// that has another type than it is read as, is passed over; of a number that comes twice the last counts,
/// and a message that comes in several parts is the message of all their fields. Reading takes time in
/// proportion to the bytes, however they are cut.
struct FieldReader {
    /// How a field's value lies in the bytes.
    private enum WireType: UInt64 {
        case varint, fixed64, delimited, groupStart, groupEnd, fixed32
    }

    /// Groups within groups that are passed over; nobody has written one for many years.
    private static let groupDepth = 16
    /// The highest number that a field can have.
    private static let largestNumber: UInt64 = 1 << 29 - 1

    private var bytes: [UInt8]
    private var place: Int
    private var end: Int
    /// The number of the field that was begun.
    private var field = 0
    private var type = WireType.varint
    /// Whether the value of the field that was begun is still to be read or passed over.
    private var isPending = false

    /// A reader at the first of those bytes.
    init(_ bytes: [UInt8]) {
        self.init(bytes, 0..<bytes.count)
    }

    private init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        place = range.lowerBound
        end = range.upperBound
    }

    /// Begins the next field: its number; nil behind the last.
    mutating func next() throws(WireError) -> Int? {
        if isPending { try pass() }
        guard place < end else { return nil }
        let key = try takeVarint()
        guard let type = WireType(rawValue: key & 7), type != .groupEnd,
            (1...Self.largestNumber).contains(key >> 3)
        else { throw .notDecodable }
        self.type = type
        field = Int(key >> 3)
        isPending = true
        return field
    }

    /// Reads a `uint32`, a `uint64` or the number of an enum's case, cut to the bits of its type.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number
    ) throws(WireError) {
        if begin(.varint) { value = Number(truncatingIfNeeded: try takeVarint()) }
    }

    /// Reads an `optional uint64` or the number of an `optional` enum's case.
    mutating func read<Number: FixedWidthInteger & UnsignedInteger>(
        _ value: inout Number?
    ) throws(WireError) {
        if begin(.varint) { value = Number(truncatingIfNeeded: try takeVarint()) }
    }

    /// Reads a `sint32` or a `sint64`, cut to the bits of its type.
    mutating func read<Number: FixedWidthInteger & SignedInteger>(
        _ value: inout Number
    ) throws(WireError) {
        if begin(.varint) { value = Number(zigzag: try takeVarint()) }
    }

    /// Reads an `optional sint32` or `optional sint64`.
    mutating func read<Number: FixedWidthInteger & SignedInteger>(
        _ value: inout Number?
    ) throws(WireError) {
        if begin(.varint) { value = Number(zigzag: try takeVarint()) }
    }

    /// Reads a `bool`.
    mutating func read(_ value: inout Bool) throws(WireError) {
        if begin(.varint) { value = try takeVarint() != 0 }
    }

    /// Reads an `optional bool`.
    mutating func read(_ value: inout Bool?) throws(WireError) {
        if begin(.varint) { value = try takeVarint() != 0 }
    }

    /// Reads a `fixed64`.
    mutating func read(fixed value: inout UInt64) throws(WireError) {
        if begin(.fixed64) { value = try takeFixed64() }
    }

    /// Reads a `double`.
    mutating func read(_ value: inout Double) throws(WireError) {
        if begin(.fixed64) { value = Double(bitPattern: try takeFixed64()) }
    }

    /// Reads a `string`; one that is not UTF-8 is not decodable.
    mutating func read(_ value: inout String) throws(WireError) {
        if begin(.delimited) { value = try takeText() }
    }

    /// Reads an `optional string`.
    mutating func read(_ value: inout String?) throws(WireError) {
        if begin(.delimited) { value = try takeText() }
    }

    /// Reads one more of a `repeated string`.
    mutating func read(_ values: inout [String]) throws(WireError) {
        if begin(.delimited) { values.append(try takeText()) }
    }

    /// Reads a `bytes`.
    mutating func read(_ value: inout [UInt8]) throws(WireError) {
        if begin(.delimited) { value = Array(bytes[try takeRange()]) }
    }

    /// Reads the `string` that is a device's id; what is no id leaves none.
    mutating func read(_ value: inout DeviceID?) throws(WireError) {
        if begin(.delimited) { value = DeviceID(wire: bytes[try takeRange()]) }
    }

    /// Reads one more of the devices' ids that a `repeated string` holds.
    mutating func read(_ values: inout [DeviceID], field: String) throws(WireError) {
        guard begin(.delimited) else { return }
        let range = try takeRange()
        guard range.count == DeviceID.length,
            let value = DeviceID(bits: Self.fixed64(in: bytes, at: range.lowerBound).byteSwapped)
        else { throw .malformedDevice(field) }
        values.append(value)
    }

    /// Reads a message.
    mutating func read(_ message: inout FieldReader?) throws(WireError) {
        guard begin(.delimited) else { return }
        let part = FieldReader(bytes, try takeRange())
        if message == nil { message = part } else { try message?.join(part) }
    }

    /// Reads the message that a `oneof` holds; one of another field takes the place of what it held.
    mutating func read(_ choice: inout Choice?) throws(WireError) {
        guard begin(.delimited) else { return }
        let part = FieldReader(bytes, try takeRange())
        guard choice?.number == field else { return choice = Choice(number: field, message: part) }
        try choice?.message.join(part)
    }

    /// Reads one more message of a `repeated` field.
    mutating func read<Value: WireFields>(_ values: inout [Value]) throws(WireError) {
        guard begin(.delimited) else { return }
        values.append(try Value(wire: FieldReader(bytes, try takeRange())))
    }

    /// Reads what a `repeated` field of numbers or truths holds, packed or one by one.
    mutating func read<Element: PackedElement>(_ column: inout [Element]) throws(WireError) {
        if begin(.delimited) {
            let range = try takeRange()
            var place = range.lowerBound
            // None takes less than a byte.
            try column.append(addingCapacity: range.count) { span throws(WireError) in
                while place < range.upperBound {
                    span.append(
                        Element(bits: try Self.varint(in: bytes, at: &place, before: range.upperBound)))
                }
            }
        } else if begin(.varint) {
            column.append(Element(bits: try takeVarint()))
        }
    }

    /// Reads what a `repeated fixed64` holds, packed or one by one.
    mutating func read(fixed column: inout [UInt64]) throws(WireError) {
        if begin(.delimited) {
            let range = try takeRange()
            guard range.count.isMultiple(of: 8) else { throw .notDecodable }
            column.append(addingCapacity: range.count / 8) { span in
                for place in stride(from: range.lowerBound, to: range.upperBound, by: 8) {
                    span.append(Self.fixed64(in: bytes, at: place))
                }
            }
        } else if begin(.fixed64) {
            column.append(try takeFixed64())
        }
    }

    /// Whether the field that was begun is of a type; then its value is read next.
    private mutating func begin(_ type: WireType) -> Bool {
        guard self.type == type else { return false }
        isPending = false
        return true
    }

    /// Puts the fields of one more part of this message behind the others; none was read yet.
    ///
    /// Parts gather in an array of their own, which grows by doubling: none is copied again for each that
    /// follows. Each must be whole: what it lacks is not taken from the next.
    @inline(never)
    private mutating func join(_ part: FieldReader) throws(WireError) {
        try part.passAll()
        // A first part lies behind its own key and length.
        if place > 0 {
            try passAll()
            bytes = Array(bytes[place..<end])
            place = 0
        }
        bytes += part.bytes[part.place..<part.end]
        end = bytes.count
    }

    /// Passes over all fields.
    private consuming func passAll() throws(WireError) {
        while try next() != nil {}
    }

    /// Passes over the value of the field that was begun.
    private mutating func pass() throws(WireError) {
        isPending = false
        var groups: [Int] = []
        while true {
            switch type {
            case .varint: _ = try takeVarint()
            case .fixed64: try advance(by: 8)
            case .fixed32: try advance(by: 4)
            case .delimited: _ = try takeRange()
            case .groupStart:
                guard groups.count < Self.groupDepth else { throw .notDecodable }
                groups.append(field)
            case .groupEnd:
                guard groups.popLast() == field else { throw .notDecodable }
            }
            guard !groups.isEmpty else { return }
            let key = try takeVarint()
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

    private mutating func takeVarint() throws(WireError) -> UInt64 {
        try Self.varint(in: bytes, at: &place, before: end)
    }

    /// A number of seven bits a byte, the lowest first; all bytes but the last have the eighth bit.
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

    private mutating func takeFixed64() throws(WireError) -> UInt64 {
        try advance(by: 8)
        return Self.fixed64(in: bytes, at: place &- 8)
    }

    private static func fixed64(in bytes: [UInt8], at start: Int) -> UInt64 {
        var value: UInt64 = 0
        for offset in 0..<8 { value |= UInt64(bytes[start &+ offset]) &<< UInt64(8 &* offset) }
        return value
    }

    /// Takes a length, and so many bytes behind it.
    private mutating func takeRange() throws(WireError) -> Range<Int> {
        let length = try takeVarint()
        guard length <= UInt64(end - place) else { throw .notDecodable }
        defer { place += Int(length) }
        return place..<(place + Int(length))
    }

    private mutating func takeText() throws(WireError) -> String {
        let range = try takeRange()
        do {
            return String(copying: try UTF8Span(validating: bytes.span.extracting(range)))
        } catch {
            throw .notDecodable
        }
    }
}
