import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// The Swift code of an enum: its cases' numbers, both ways.
struct EnumCode {
    let mapping: EnumMapping
    private let expected: String
    /// The numbers of its values, by their names without the prefix; without the value that says nothing.
    let values: [(name: String, number: Int)]

    init?(_ descriptor: EnumDescriptor, _ mapping: EnumMapping) {
        guard let expected = mapping.expected else { return nil }
        (self.mapping, self.expected) = (mapping, expected)
        values = Self.values(of: descriptor).map { ($0.key, $0.value) }.sorted { $0.1 < $1.1 }
    }

    static func values(of descriptor: EnumDescriptor) -> [String: Int] {
        let prefix = Naming.prefix(ofEnum: descriptor.name)
        var values: [String: Int] = [:]
        for value in descriptor.values {
            let name = value.name.hasPrefix(prefix) ? String(value.name.dropFirst(prefix.count)) : value.name
            if name != "UNSPECIFIED" { values[name] = Int(value.number) }
        }
        return values
    }

    func append(to code: inout CodePrinter) {
        code.print("", "extension \(mapping.type) {")
        code.indent()
        code.print("/// The case of that number.")
        code.print("@inline(__always)", "init(wire number: UInt32, field: String) throws(WireError) {")
        code.indent()
        code.print("switch number {")
        for value in values { code.print("case \(value.number): self = .\(name(of: value.name))") }
        code.print("default: throw .malformed(field, \"\(expected)\")", "}")
        code.outdent()
        code.print("}", "", "/// The case's number.", "var wire: UInt32 {")
        code.indent()
        code.print("switch self {")
        for value in values { code.print("case .\(name(of: value.name)): \(value.number)") }
        code.print("}")
        code.outdent()
        code.print("}")
        code.outdent()
        code.print("}")
    }

    private func name(of value: String) -> String { mapping.cases[value] ?? Naming.camelCase(value) }
}
