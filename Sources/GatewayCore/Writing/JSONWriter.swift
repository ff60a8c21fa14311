import FleetProtocol
import UserText

/// A streaming writer of JSON, for answers that are too large for a tree of values.
///
/// Members have the order in which they are written; the caller must not repeat keys.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma must precede the next value.
    private var needsComma = false

    init(reserving capacity: Int = 1_024) { bytes.reserveCapacity(capacity) }

    // MARK: Values

    mutating func object(_ members: (inout JSONWriter) -> Void) {
        open("{")
        members(&self)
        close("}")
    }

    mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open("[")
        elements(&self)
        close("]")
    }

    mutating func null() { raw("null") }

    mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }

    mutating func integer(_ value: Int64) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: value.magnitude)
    }

    mutating func string(_ text: String) {
        begin()
        JSONValue.append(quoted: text, to: &bytes)
    }

    /// Writes a string without characters that need an escape, from a function that appends its bytes.
    mutating func plain(_ append: (inout [UInt8]) -> Void) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes tenths as a number with one decimal: `21.5`, `20.0`.
    mutating func tenths(_ value: Int) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: UInt64(value.magnitude / 10))
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(value.magnitude % 10))
    }

    /// Writes hundredths, zero or more, as a number with two decimals: `0.05`.
    mutating func hundredths(_ value: Int) {
        begin()
        bytes.append(decimal: UInt64(value / 100))
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(value % 100), digits: 2)
    }

    mutating func raw(_ json: StaticString) {
        begin()
        json.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    mutating func raw(_ json: [UInt8]) {
        begin()
        bytes += json
    }

    // MARK: Members

    mutating func key(_ name: StaticString) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a key that is not a literal.
    mutating func key(named name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    mutating func member(_ name: StaticString, _ value: Bool) {
        key(name)
        bool(value)
    }

    mutating func member(_ name: StaticString, _ value: some BinaryInteger) {
        key(name)
        integer(Int64(clamping: value))
    }

    /// Writes a string, or null.
    mutating func member(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    mutating func member(_ name: StaticString, tenths value: Int) {
        key(name)
        tenths(value)
    }

    mutating func member(_ name: StaticString, _ id: ShortID) {
        key(name)
        plain { id.append(to: &$0) }
    }

    mutating func member(_ name: StaticString, raw json: StaticString) {
        key(name)
        raw(json)
    }

    mutating func object(_ name: StaticString, _ members: (inout JSONWriter) -> Void) {
        key(name)
        object(members)
    }

    mutating func array(_ name: StaticString, _ elements: (inout JSONWriter) -> Void) {
        key(name)
        array(elements)
    }

    // MARK: Commas

    private mutating func begin() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func open(_ bracket: Unicode.Scalar) {
        begin()
        bytes.append(UInt8(ascii: bracket))
        needsComma = false
    }

    private mutating func close(_ bracket: Unicode.Scalar) {
        bytes.append(UInt8(ascii: bracket))
        needsComma = true
    }
}

/// The three forms of time in Sensibo's API; clients that parse one form fail on another.
extension JSONWriter {
    /// Writes a time with microseconds and its age: `{"time":"2024-12-08T17:16:13.197000Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, time: WallTime?, now: PodTime) {
        key(name)
        moment(time, now: now)
    }

    /// Writes the same form as a value.
    mutating func moment(_ time: WallTime?, now: PodTime) {
        guard let time else { return null() }
        object { json in
            json.key("time")
            json.microseconds(now.shown(time))
            json.member("secondsAgo", now.seconds(since: time))
        }
    }

    /// Writes a time in seconds with its zone and its age, as in filters and changes:
    /// `{"time":"2022-03-12T15:24:26Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, second time: WallTime?, now: PodTime) {
        key(name)
        guard let time else { return null() }
        object { json in
            json.member("time", zoned: now.shown(time))
            json.member("secondsAgo", now.seconds(since: time))
        }
    }

    /// Writes a time in seconds with its zone: `"2022-03-12T15:24:26Z"`.
    mutating func member(_ name: StaticString, zoned time: WallTime) {
        key(name)
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "Z"))
        }
    }

    /// Writes a time of a timer or a schedule, in UTC without a zone: `"2024-03-22T22:56:44"`.
    mutating func member(_ name: StaticString, naive time: WallTime) {
        key(name)
        plain { TimeText.append(second: time, to: &$0) }
    }

    private mutating func microseconds(_ time: WallTime) {
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "."))
            bytes.append(decimal: UInt64(time.unixMilliseconds.rest(dividingBy: 1_000)), digits: 3)
            bytes += "000Z".utf8
        }
    }
}
