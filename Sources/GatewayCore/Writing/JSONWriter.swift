import Wording

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
