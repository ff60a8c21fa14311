import SwiftProtobufPluginLibrary

/// The functions that read and write the fields of a message that has no type of its own, or a type that is
/// read and written by hand.
struct FunctionCode {
    let message: Message
    let arguments: [Argument]

    /// Whether parameters have labels and default values, for types whose cases have few of the fields.
    private var isNamed: Bool {
        if case .manual = message.mapping.form { arguments.count > 1 } else { false }
    }

    func append(to code: inout CodePrinter) throws(MappingError) {
        _ = try message.arguments()
        code.print("", "/// The fields of `\(message.name)`.", "enum \(message.name)Fields {")
        code.indent()
        let parameters = arguments.map { (name: message.property(of: $0), type: message.swiftType(of: $0)) }
        let types = parameters.map { isNamed ? "\($0.name): \($0.type)" : $0.type }.joined(separator: ", ")
        code.print("static func read(")
        code.printIndented("_ fields: consuming FieldReader")
        code.print(") throws(WireError) -> \(parameters.count == 1 ? types : "(\(types))") {")
        code.indent()
        message.readFields(&code)
        try message.check(&code)
        let values = arguments.map { message.value(of: $0) }.joined(separator: ", ")
        code.print("return \(arguments.count == 1 ? values : "(\(values))")")
        code.outdent()
        code.print("}", "", "static func write(")
        let declared = arguments.map(parameter) + ["into fields: inout FieldWriter"]
        code.printIndented(declared.joined(separator: ", "))
        code.print(") {")
        for line in try message.writing(arguments) { code.printIndented(line) }
        code.print("}")
        code.outdent()
        code.print("}")
    }

    private func parameter(_ argument: Argument) -> String {
        let (name, type) = (message.property(of: argument), message.swiftType(of: argument))
        guard isNamed else { return "_ \(name): \(type)" }
        return "\(name): \(type)\(message.nothing(argument).map { " = \($0)" } ?? "")"
    }
}
