import SwiftProtobufPluginLibrary

/// The Swift code of a message: an extension of its type, or functions of its own.
struct MessageCode {
    let message: Message

    func append(to code: inout CodePrinter) throws(MappingError) {
        switch message.mapping.form {
        case .tuple(let arguments), .manual(let arguments):
            if !arguments.isEmpty {
                try FunctionCode(message: message, arguments: arguments).append(to: &code)
            }
        case .value, .alternative:
            guard !message.fields.isEmpty || !message.oneofs.isEmpty else { return }
            try TypeCode(message: message).append(to: &code)
            try printExtension(message.type ?? message.name, &code)
        }
    }

    private func printExtension(_ type: String, _ code: inout CodePrinter) throws(MappingError) {
        if message.mapping.envelope == nil {
            try printFields(type, &code)
        } else {
            try printEnvelope(type, &code)
        }
    }

    private func printFields(_ type: String, _ code: inout CodePrinter) throws(MappingError) {
        code.print("", "extension \(type): WireFields {")
        code.indent()
        code.print("init(wire fields: consuming FieldReader) throws(WireError) {")
        code.indent()
        message.readFields(&code)
        try printValue(&code)
        code.outdent()
        code.print("}")
        if try !isOneof {
            code.print("", "func write(to fields: inout FieldWriter) {")
            for line in try writing() { code.printIndented(line) }
            code.print("}")
        }
        code.outdent()
        code.print("}")
    }

    private func printEnvelope(_ type: String, _ code: inout CodePrinter) throws(MappingError) {
        let limit = message.mapping.envelope?.limit.map { ", limit: \($0)" } ?? ""
        code.print("", "extension \(type): WireMessage {")
        code.indent()
        code.print("public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {")
        code.indent()
        code.print("var fields = try FieldReader(message: bytes, in: range\(limit))")
        message.readFields(&code)
        if isVersioned { code.print("try WireError.check(version: `protocol`)") }
        if let correlation = message.mapping.envelope?.correlation {
            code.print("do throws(WireError) {")
            code.indent()
            try printValue(&code)
            code.outdent()
            code.print("} catch {")
            code.printIndented("throw error.answering(\(correlation))")
            code.print("}")
        } else {
            try printValue(&code)
        }
        code.outdent()
        code.print("}")
        try printBytes(&code)
        code.outdent()
        code.print("}")
    }

    private func printBytes(_ code: inout CodePrinter) throws(MappingError) {
        code.print("", "public var wireBytes: [UInt8] {")
        code.indent()
        code.print("FieldWriter.\(isVersioned ? "message" : "content") { fields in")
        for line in try isOneof ? ["write(to: &fields)"] : writing() { code.printIndented(line) }
        code.print("}")
        code.outdent()
        code.print("}")
    }

    /// Whether the message begins with the version of the protocol.
    private var isVersioned: Bool { message.field("protocol") != nil }

    /// Whether the type's cases are the fields of a oneof, which writes them.
    private var isOneof: Bool {
        get throws(MappingError) {
            guard case .alternative(let name) = message.mapping.form else { return false }
            return message.oneof(name) != nil
        }
    }

    private func printValue(_ code: inout CodePrinter) throws(MappingError) {
        let arguments = try message.arguments()
        try message.check(&code)
        if case .alternative = message.mapping.form {
            code.print("self = \(message.value(of: arguments[0]))")
        } else {
            try printInitializer(arguments, &code)
            if message.mapping.assignsRest {
                for argument in message.rest(of: arguments) {
                    code.print("self.\(message.property(of: argument)) = \(message.value(of: argument))")
                }
            }
        }
        if message.mapping.isVerified { code.print("try verify()") }
    }

    private func printInitializer(_ arguments: [Argument], _ code: inout CodePrinter) throws(MappingError) {
        let passed = message.passed(arguments)
        if let error = message.mapping.thrownError {
            code.print("do throws(\(error)) {")
            code.indent()
            printCall("try self.init", passed, "", &code)
            code.outdent()
            code.print("} catch {")
            code.printIndented("throw WireError(error)")
            code.print("}")
        } else if let expected = message.mapping.expected {
            printCall("guard let value = Self", passed, " else {", &code)
            code.printIndented("throw .malformed(\"\(message.mapping.prefix)\", \"\(expected)\")")
            code.print("}", "self = value")
        } else {
            printCall("self.init", passed, "", &code)
        }
    }

    private func printCall(_ call: String, _ arguments: [String], _ end: String, _ code: inout CodePrinter) {
        let line = arguments.joined(separator: ", ")
        guard line.count + call.count > 92 else { return code.print("\(call)(\(line))\(end)") }
        code.print("\(call)(")
        for (index, argument) in arguments.enumerated() {
            code.printIndented(argument + (index == arguments.count - 1 ? ")\(end)" : ","))
        }
    }

    private func writing() throws(MappingError) -> [String] {
        if case .alternative(let name) = message.mapping.form, let field = message.field(name),
            let alternative = message.mapping.alternatives[name]
        {
            return try message.writing(alternative, field, "self")
        }
        let arguments = try message.arguments()
        return try message.writing(
            arguments + (message.mapping.assignsRest ? message.rest(of: arguments) : []))
    }
}
