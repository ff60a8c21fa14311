import FleetTime
import UserText

/// JSON that is written as it goes, for answers too large to be made as a tree first.
///
/// Members stand in the order in which they are written; keys are the writer's to keep apart.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether a comma parts what comes next from what stands before.
    private var needsComma = false

    init(reserving capacity: Int = 1_024) {
        bytes.reserveCapacity(capacity)
    }

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

    mutating func null() {
        raw("null")
    }

    mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    mutating func integer(_ value: Int64) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: value.magnitude)
    }

    mutating func string(_ text: String) {
        begin()
        JSONValue.append(quoted: text, to: &bytes)
    }

    /// A text of letters, digits and what else needs no escape, made by somebody who writes bytes.
    mutating func plain(_ append: (inout [UInt8]) -> Void) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        append(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A number of tenths with its decimal: `21.5`, `20.0`.
    mutating func tenths(_ value: Int) {
        begin()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        bytes.append(decimal: UInt64(value.magnitude / 10))
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(value.magnitude % 10))
    }

    /// A number of hundredths with both decimals, zero or more: `0.05`.
    mutating func hundredths(_ value: Int) {
        begin()
        bytes.append(decimal: UInt64(value / 100))
        bytes.append(UInt8(ascii: "."))
        bytes.append(decimal: UInt64(value % 100), digits: 2)
    }

    /// JSON as it stands.
    mutating func raw(_ json: StaticString) {
        begin()
        json.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// JSON that was written before.
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

    /// A key that is known only as a text.
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

    /// A text, or null.
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

/// The three forms in which Sensibo writes a moment: a client that parses one fails at another.
extension JSONWriter {
    /// A time of a pod's clock, with its age: `{"time":"2024-12-08T17:16:13.197000Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, time: WallTime?, now: WallTime) {
        key(name)
        moment(time, now: now)
    }

    /// The same as a value of its own.
    mutating func moment(_ time: WallTime?, now: WallTime) {
        guard let time else { return null() }
        object { json in
            json.key("time")
            json.microseconds(time)
            json.member("secondsAgo", time.seconds(to: now))
        }
    }

    /// A time to the second with its zone, and its age, as filters and changes have it:
    /// `{"time":"2022-03-12T15:24:26Z","secondsAgo":47}`.
    mutating func member(_ name: StaticString, second time: WallTime?, now: WallTime) {
        key(name)
        guard let time else { return null() }
        object { json in
            json.member("time", zoned: time)
            json.member("secondsAgo", time.seconds(to: now))
        }
    }

    /// A time to the second with its zone: `"2022-03-12T15:24:26Z"`.
    mutating func member(_ name: StaticString, zoned time: WallTime) {
        key(name)
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "Z"))
        }
    }

    /// A time of a timer or a schedule, in UTC without saying so: `"2024-03-22T22:56:44"`.
    mutating func member(_ name: StaticString, naive time: WallTime) {
        key(name)
        plain { TimeText.append(second: time, to: &$0) }
    }

    private mutating func microseconds(_ time: WallTime) {
        plain { bytes in
            TimeText.append(second: time, to: &bytes)
            bytes.append(UInt8(ascii: "."))
            bytes.append(decimal: UInt64((time.unixMilliseconds % 1_000 + 1_000) % 1_000), digits: 3)
            bytes += "000Z".utf8
        }
    }
}

extension WallTime {
    /// Whole seconds until a later moment; negative when it is earlier.
    func seconds(to later: WallTime) -> Int64 {
        duration(to: later).wholeMilliseconds / 1_000
    }
}

/// Text as it stands between the tags of a page.
public enum HTMLText {
    /// The text with every character that HTML reads as more than itself as an entity.
    public static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for character in text.unicodeScalars {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#x27;"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
