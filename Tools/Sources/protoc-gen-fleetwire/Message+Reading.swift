import SwiftProtobufPluginLibrary

/// The Swift code that reads a message's fields.
extension Message {
    /// The variables, and the loop that reads into them.
    func readFields(_ code: inout CodePrinter) {
        let blocks = self.blocks
        let single = fields.filter { !isInBlock($0) }
        for field in single { code.print(field.declaration) }
        for (name, block) in blocks { code.print("var \(name) = \(block.type)()") }
        for oneof in oneofs { code.print("var \(oneof.variable): Choice?") }
        code.print("while let field = try fields.next() {")
        code.withIndentation { code in
            code.print("switch field {")
            for field in single { code.print("case \(field.number): \(field.reading)") }
            for (name, block) in blocks {
                let numbers = numbers(of: block)
                let place = "field - \(numbers.min() ?? 0)"
                code.print("case \(Naming.patterns(numbers)): try \(name).read(\(place), of: &fields)")
            }
            for oneof in oneofs {
                code.print("case \(Naming.patterns(oneof.numbers)): try fields.read(&\(oneof.variable))")
            }
            code.print("default: break")
            code.print("}")
        }
        code.print("}")
    }

    /// The rules that fields must keep, and the values that are needed twice.
    func check(_ code: inout CodePrinter) throws(MappingError) {
        for field in fields where !isColumn(field) {
            if isNamed(field) { code.print("let \(field.variable)Value = \(field.value)") }
            let value = isNamed(field) ? "\(field.variable)Value" : field.variable
            if let statement = field.guardStatement(value) { code.print(statement) }
        }
        for check in mapping.checks {
            code.print("guard \(resolved(check.condition)) else {")
            code.printIndented("throw .malformed(\"\(check.field)\", \"\(check.expected)\")")
            code.print("}")
        }
        for field in fields {
            if let alternative = mapping.alternatives[field.name] { try decide(field, alternative, &code) }
        }
        readRows(&code)
    }

    /// The arguments of an initializer, with their labels.
    func passed(_ arguments: [Argument]) -> [String] {
        arguments.map { argument in
            let value = value(of: argument)
            return label(of: argument).map { "\($0): \(value)" } ?? value
        }
    }

    func value(of argument: Argument) -> String {
        switch argument.source {
        case .value(let type, let arguments): "\(type)(\(passed(arguments).joined(separator: ", ")))"
        case .field(let name): value(of: name)
        case .expression(let text): resolved(text)
        }
    }

    /// An expression with the values of the fields that it names: `$row`.
    private func resolved(_ text: String) -> String {
        fields.reduce(text) { $0.replacing("$\($1.name)", with: "\($1.variable)Value") }
    }

    private func value(of name: String) -> String {
        if let oneof = oneof(name) { return value(of: oneof) }
        guard let field = field(name) else { return "\(name)Value" }
        let isDecided = mapping.alternatives[name] != nil
        return isDecided || isNamed(field) ? "\(field.variable)Value" : field.value
    }

    private func value(of oneof: Oneof) -> String {
        let context = oneof.mapping.context.map { context in
            ", \(context.label): \(value(of: context.field))"
        }
        let choice = "\(oneof.variable).required(\"\(oneof.mapping.name)\")"
        return "try \(oneof.mapping.type)(wire: \(choice)\(context ?? ""))"
    }

    /// Whether the value is held in a constant, for a rule or for an initializer that throws another error.
    private func isNamed(_ field: Field) -> Bool {
        guard field.value != field.variable, mapping.alternatives[field.name] == nil else { return false }
        let isPayload = mapping.alternatives.values.contains { alternative in
            alternative.cases.contains { $0.arguments.contains { names($0, field.name) } }
        }
        return !isPayload && (field.mapping.condition != nil || mapping.thrownError != nil || isNeeded(field))
    }

    /// Whether a rule or another argument names its value.
    private func isNeeded(_ field: Field) -> Bool {
        let name = "$\(field.name)"
        return mapping.checks.contains { $0.condition.contains(name) } || isExpressed(name, in: given)
    }

    private var given: [Argument] {
        switch mapping.form {
        case .value(_, let arguments), .tuple(let arguments), .manual(let arguments): arguments
        case .alternative: []
        }
    }

    private func isExpressed(_ name: String, in arguments: [Argument]) -> Bool {
        arguments.contains { argument in
            switch argument.source {
            case .field: false
            case .value(_, let arguments): isExpressed(name, in: arguments)
            case .expression(let text): text.contains(name)
            }
        }
    }

    private func names(_ argument: Argument, _ field: String) -> Bool {
        switch argument.source {
        case .field(let name): name == field
        case .value(_, let arguments): arguments.contains { names($0, field) }
        case .expression: false
        }
    }

    private func decide(
        _ field: Field, _ alternative: Alternative, _ code: inout CodePrinter
    ) throws(MappingError) {
        guard let decision = decisions[field.name] else {
            throw MappingError("\(name).\(field.name) is not an enum: it cannot decide a case")
        }
        code.print("let \(field.variable)Value: \(alternative.type)", "switch \(field.variable) {")
        for (value, name, arguments) in alternative.cases {
            let number = decision.numbers[value] ?? 0
            let passed = arguments.isEmpty ? "" : "(\(passed(arguments).joined(separator: ", ")))"
            code.print("case \(number): \(field.variable)Value = .\(name)\(passed)")
        }
        code.print("default: throw .malformed(\"\(field.errorName)\", \"\(decision.expected)\")", "}")
    }
}
