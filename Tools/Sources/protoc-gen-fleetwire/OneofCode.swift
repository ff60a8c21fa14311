import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// The Swift code of a oneof: an enum with a case for each field, or for each group of fields.
struct OneofCode {
    let message: Message
    let oneof: Message.Oneof

    private var mapping: OneofMapping { oneof.mapping }

    func append(to code: inout CodePrinter) throws(MappingError) {
        let grouped = mapping.groups.flatMap { Array($0.numbers) }
        try append(
            mapping.type, oneof.fields.filter { !grouped.contains(Int($0.number)) }, mapping.groups, &code)
        for group in mapping.groups {
            try append(group.type, oneof.fields.filter { group.numbers.contains(Int($0.number)) }, [], &code)
        }
    }

    /// The cases of the enum, with the comments of the fields, or else of their messages.
    var declarations: [String] {
        get throws(MappingError) {
            var lines: [String] = []
            for field in oneof.fields {
                let inner = try Message(field.messageType, message.all)
                lines += field.comment.isEmpty ? inner.comment : field.comment
                let arguments = tuple(inner)
                let payload = arguments.map(inner.payload) ?? inner.type.map { "(\($0))" } ?? ""
                lines += (arguments ?? []).flatMap { inner.documentation(of: $0) }
                lines.append("case \(name(of: field))\(payload)")
            }
            return lines
        }
    }

    private func append(
        _ type: String, _ fields: [FieldDescriptor], _ groups: [OneofMapping.Group], _ code: inout CodePrinter
    ) throws(MappingError) {
        guard !fields.isEmpty else {
            throw MappingError("\(type): no field of \(message.name) is in the group")
        }
        code.print("", "extension \(type) {")
        code.indent()
        try appendReader(of: fields, groups, &code)
        try appendWriter(of: fields, groups, &code)
        code.outdent()
        code.print("}")
    }

    private func appendReader(
        of fields: [FieldDescriptor], _ groups: [OneofMapping.Group], _ code: inout CodePrinter
    ) throws(MappingError) {
        let context = mapping.context.map { ", \($0.label): \($0.type)" } ?? ""
        code.print("/// The case that the message in `\(message.name).\(oneof.name)` is.")
        code.print("init(wire choice: consuming Choice\(context)) throws(WireError) {")
        code.indent()
        code.print("switch choice.number {")
        for group in groups {
            let pattern = Naming.patterns(numbers(of: group))
            code.print("case \(pattern): self = .\(group.name)(try \(group.type)(wire: choice))")
        }
        for (index, field) in fields.enumerated() {
            let pattern = index == fields.count - 1 ? "default" : "case \(field.number)"
            let lines = try reading(field)
            code.print("\(pattern):\(lines.count == 1 ? " \(lines[0])" : "")")
            if lines.count > 1 { for line in lines { code.printIndented(line) } }
        }
        code.print("}")
        code.outdent()
        code.print("}")
    }

    private func appendWriter(
        of fields: [FieldDescriptor], _ groups: [OneofMapping.Group], _ code: inout CodePrinter
    ) throws(MappingError) {
        code.print("", "/// Writes the case's message.", "func write(to fields: inout FieldWriter) {")
        code.indent()
        code.print("switch self {")
        for group in groups { code.print("case .\(group.name)(let value): value.write(to: &fields)") }
        for field in fields { code.print(try writing(field)) }
        code.print("}")
        code.outdent()
        code.print("}")
    }

    private func numbers(of group: OneofMapping.Group) -> [Int] {
        oneof.numbers.filter { group.numbers.contains($0) }
    }

    private func name(of field: FieldDescriptor) -> String {
        if case .named(let name) = mapping.members[field.name] { return name }
        return Naming.camelCase(field.name)
    }

    /// The function that is written by hand: `Change` for a field called `change`.
    private func manualName(of field: FieldDescriptor) -> String {
        let name = Naming.camelCase(field.name)
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    private func reading(_ field: FieldDescriptor) throws(MappingError) -> [String] {
        let context = mapping.context.map { ", \($0.label): \($0.label)" } ?? ""
        if case .manual(_, let needsContext) = mapping.members[field.name] {
            let context = needsContext ? context : ""
            return ["self = try Self.read\(manualName(of: field))(choice.message\(context))"]
        }
        let inner = try Message(field.messageType, message.all)
        let name = name(of: field)
        guard let arguments = tuple(inner) else {
            let type = try Field(field, in: message.mapping, of: message.all).type
            return ["self = .\(name)(try \(type)(wire: choice.message))"]
        }
        guard !arguments.isEmpty else { return ["self = .\(name)"] }
        let reading = "try \(inner.name)Fields.read(choice.message)"
        if arguments.count == 1 {
            return ["self = .\(name)(\(inner.label(of: arguments[0]).map { "\($0): " } ?? "")\(reading))"]
        }
        let names = arguments.map { inner.property(of: $0) }
        let passed = zip(arguments, names).map { argument, name in
            inner.label(of: argument).map { "\($0): \(name)" } ?? name
        }
        return [
            "let (\(names.joined(separator: ", "))) = \(reading)",
            "self = .\(name)(\(passed.joined(separator: ", ")))",
        ]
    }

    private func writing(_ field: FieldDescriptor) throws(MappingError) -> String {
        let name = name(of: field)
        if case .manual(let cases, _) = mapping.members[field.name] {
            let pattern = (cases.isEmpty ? [name] : cases).map { ".\($0)" }.joined(separator: ", ")
            return "case \(pattern): fields.put(\(field.number)) { write\(manualName(of: field))(to: &$0) }"
        }
        let inner = try Message(field.messageType, message.all)
        guard let arguments = tuple(inner) else {
            return "case .\(name)(let value): fields.put(\(field.number), value)"
        }
        guard !arguments.isEmpty else { return "case .\(name): fields.put(\(field.number)) { _ in }" }
        let names = arguments.map { inner.property(of: $0) }
        let bindings = names.map { "let \($0)" }.joined(separator: ", ")
        let passed = (names + ["into: &$0"]).joined(separator: ", ")
        return
            "case .\(name)(\(bindings)): fields.put(\(field.number)) { \(inner.name)Fields.write(\(passed)) }"
    }

    /// The arguments of a message without a type of its own; nil of one that has a type.
    private func tuple(_ message: Message) -> [Argument]? {
        switch message.mapping.form {
        case .tuple(let arguments): arguments
        case .manual: nil
        case .value, .alternative: message.fields.isEmpty && message.oneofs.isEmpty ? [] : nil
        }
    }
}
