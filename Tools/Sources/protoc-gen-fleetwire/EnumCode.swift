import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// The Swift code of an enum: its cases' numbers, both ways.
struct EnumCode {
    let mapping: EnumMapping
    private let comment: [String]
    private let isWritten: Bool
    /// Its values and the names of their cases; without the value that says nothing.
    let values: [(name: String, value: EnumValueDescriptor)]

    init(_ descriptor: EnumDescriptor, _ all: Mapping, _ mapping: EnumMapping) {
        (self.mapping, comment) = (mapping, descriptor.comment)
        isWritten = all.written.contains(mapping.type)
        values = Self.values(of: descriptor).map { (Naming.camelCase($0.key), $0.value) }
            .sorted { $0.1.number < $1.1.number }
    }

    /// The values by their names without the prefix.
    static func values(of descriptor: EnumDescriptor) -> [String: EnumValueDescriptor] {
        let prefix = Naming.prefix(ofEnum: descriptor.name)
        var values: [String: EnumValueDescriptor] = [:]
        for value in descriptor.values {
            let name = value.name.hasPrefix(prefix) ? String(value.name.dropFirst(prefix.count)) : value.name
            if name != "UNSPECIFIED" { values[name] = value }
        }
        return values
    }

    func append(to code: inout CodePrinter) {
        if !isWritten {
            code.print("")
            code.declare(
                "enum", mapping.type, conforming: "UInt8, CaseIterable, Hashable, Sendable", comment,
                values.flatMap { $0.value.comment + ["case \(Naming.quoted($0.name))"] })
        }
        code.print("", "extension \(mapping.type) {")
        code.indent()
        code.print("/// The case of that number.")
        code.print("@inline(__always)", "init(wire number: UInt32, field: String) throws(WireError) {")
        code.indent()
        code.print("switch number {")
        for value in values { code.print("case \(value.value.number): self = .\(value.name)") }
        code.print("default: throw .malformed(field, \"\(mapping.expected)\")", "}")
        code.outdent()
        code.print("}", "", "/// The case's number.", "var wire: UInt32 {")
        code.indent()
        code.print("switch self {")
        for value in values { code.print("case .\(value.name): \(value.value.number)") }
        code.print("}")
        code.outdent()
        code.print("}")
        code.outdent()
        code.print("}")
    }
}
