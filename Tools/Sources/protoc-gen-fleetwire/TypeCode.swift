import SwiftProtobufPluginLibrary

/// The Swift declaration of a message's type: a struct of its fields, or an enum of its alternatives.
///
/// Types that ``Mapping/written`` names are declared by hand. The comments of `proto/` are the documentation.
struct TypeCode {
    let message: Message

    func append(to code: inout CodePrinter) throws(MappingError) {
        guard let type = message.type, !message.all.written.contains(type),
            !message.fields.isEmpty || !message.oneofs.isEmpty
        else { return }
        code.print("")
        if case .alternative(let name) = message.mapping.form {
            let cases = try message.oneof(name).map { oneof throws(MappingError) in
                try OneofCode(message: message, oneof: oneof).declarations
            }
            code.declare("enum", type, conforming: conformances, message.comment, cases ?? decided(by: name))
        } else {
            let arguments = try message.arguments()
            let fields = arguments + (message.mapping.assignsRest ? message.rest(of: arguments) : [])
            code.declare(
                "struct", type, conforming: conformances, message.comment,
                properties(fields) + [""] + initializer(fields))
        }
    }

    /// Whole frames have no hash.
    private var conformances: String {
        "\(message.mapping.envelope == nil ? "Hashable" : "Equatable"), Sendable"
    }

    private func properties(_ fields: [Argument]) -> [String] {
        let keyword = message.type.map(message.all.mutable.contains) == true ? "var" : "let"
        return fields.flatMap { field in
            message.comment(of: field)
                + ["public \(keyword) \(message.property(of: field)): \(message.swiftType(of: field))"]
        }
    }

    /// The initializer with a value for each field; those that `proto/` need not have are optional.
    private func initializer(_ fields: [Argument]) -> [String] {
        let parameters = fields.map { field in
            let (name, label) = (message.property(of: field), message.label(of: field) ?? "_")
            let value = message.nothing(field).map { " = \($0)" } ?? ""
            return "\(label == name ? name : "\(label) \(name)"): \(message.swiftType(of: field))\(value)"
        }
        let names = fields.map { message.property(of: $0) }
        return ["public init(\(parameters.joined(separator: ", "))) {"]
            + names.map { "    self.\($0) = \($0)" } + ["}"]
    }

    /// The cases of the enum that a field of the message decides.
    private func decided(by name: String) -> [String] {
        let cases = message.mapping.alternatives[name]?.cases ?? []
        return cases.flatMap { value, name, arguments in
            (message.decisions[name]?.comments[value] ?? [])
                + ["case \(name)\(message.payload(arguments))"]
        }
    }
}

extension Message {
    /// The payload of a case.
    func payload(_ arguments: [Argument]) -> String {
        guard !arguments.isEmpty else { return "" }
        let values = arguments.map { argument in
            label(of: argument).map { "\($0): \(swiftType(of: argument))" } ?? swiftType(of: argument)
        }
        return "(\(values.joined(separator: ", ")))"
    }

    /// The comment of an argument, as an item of a list.
    func documentation(of argument: Argument) -> [String] {
        let lines = comment(of: argument).map { $0.dropFirst(3) }
        guard let first = lines.first else { return [] }
        return ["/// - `\(property(of: argument))`:\(first)"] + lines.dropFirst().map { "///  \($0)" }
    }

    func swiftType(of argument: Argument) -> String {
        switch argument.source {
        case .value(let type, _): type
        case .expression: "Never"
        case .field(let name):
            mapping.alternatives[name]?.type ?? field(name)?.fullType ?? oneof(name)?.mapping.type
                ?? "[\(mapping.columns[name]?.type ?? name)]"
        }
    }

    /// The comment of the field, or of the first that the argument is made of.
    func comment(of argument: Argument) -> [String] {
        names(in: [argument]).first.flatMap { field($0)?.comment } ?? []
    }

    /// The value of a field that is not there; nil where it must be.
    func nothing(_ argument: Argument) -> String? {
        guard case .field(let name) = argument.source, let field = field(name) else { return nil }
        return switch (field.presence, field.wire) {
        case (.optional, _): "nil"
        case (.repeated, _): "[]"
        case (.single, _) where field.mapping.isOptional: "nil"
        case (.single, _) where field.type == "Duration": ".zero"
        case (.single, _) where field.zero != nil: field.zero
        case (.single, _) where field.isConverted && !field.isNarrow: field.mapping.fallback
        case (.single, .number), (.single, .fixed), (.single, .double): "0"
        case (.single, .text): "\"\""
        case (.single, .bytes): "[]"
        case (.single, .truth): "false"
        case (.single, .message): nil
        }
    }
}

extension CodePrinter {
    /// Prints the declaration of a type, which may be nested in another: `Outer.Inner`.
    mutating func declare(
        _ kind: String, _ type: String, conforming conformances: String, _ comment: [String],
        _ members: [String]
    ) {
        let names = type.split(separator: ".")
        for outer in names.dropLast() {
            self.print("extension \(outer) {")
            indent()
        }
        for line in comment { self.print(line) }
        self.print("public \(kind) \(names.last ?? ""): \(conformances) {")
        for line in members { printIndented(line) }
        self.print("}")
        for _ in names.dropLast() {
            outdent()
            self.print("}")
        }
    }
}
