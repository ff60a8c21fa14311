import SwiftProtobufPluginLibrary

/// The Swift code of a type that one field holds.
struct ValueCode {
    let mapping: ValueMapping

    func append(to code: inout CodePrinter) {
        code.print("", "extension \(mapping.type) {")
        code.indent()
        let given = mapping.isExpectedGiven ? ", expected: @autoclosure () -> String" : ""
        code.print("init(wire: \(mapping.wireType), field: String\(given)) throws(WireError) {")
        let argument = mapping.label.map { "\($0): wire" } ?? "wire"
        if let expected = mapping.expected {
            code.printIndented("guard let value = Self(\(argument)) else {")
            code.printIndented("    throw .malformed(field, \"\(expected)\")")
            code.printIndented("}", "self = value")
        } else {
            code.printIndented("self.init(\(argument))")
        }
        code.print("}", "", "var wire: \(mapping.wireType) { \(mapping.written) }")
        code.outdent()
        code.print("}")
    }
}
