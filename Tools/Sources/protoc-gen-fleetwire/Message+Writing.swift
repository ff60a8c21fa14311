/// The Swift code that writes a message's fields.
extension Message {
    /// Statements by the number of the first field that they write.
    typealias Statements = [(number: Int, lines: [String])]

    /// The statements that write those arguments, in the order of the fields' numbers.
    func writing(_ arguments: [Argument], of path: String? = nil) throws(MappingError) -> [String] {
        try statements(arguments, of: path).sorted { $0.number < $1.number }.flatMap(\.lines)
    }

    private func statements(_ arguments: [Argument], of path: String?) throws(MappingError) -> Statements {
        var statements: Statements = []
        for argument in arguments {
            let property = property(of: argument)
            let place = path.map { "\($0).\(property)" } ?? property
            switch argument.source {
            case .value(_, let arguments): statements += try self.statements(arguments, of: place)
            case .field(let name):
                if let columns = mapping.columns[name] {
                    statements += writing(columns, place)
                } else {
                    statements.append(try statement(name, place))
                }
            case .expression: break
            }
        }
        return statements
    }

    private func statement(
        _ name: String, _ place: String
    ) throws(MappingError) -> (number: Int, lines: [String]) {
        if let oneof = oneof(name) { return (oneof.numbers.min() ?? 0, ["\(place).write(to: &fields)"]) }
        guard let field = field(name) else { throw MappingError("\(self.name) has no field \(name)") }
        guard let alternative = mapping.alternatives[name] else {
            return (field.number, [field.writing(place)])
        }
        return (field.number, try writing(alternative, field, place))
    }

    /// The `switch` that writes the number of a case and its payload.
    func writing(_ alternative: Alternative, _ field: Field, _ place: String) throws(MappingError) -> [String]
    {
        var lines = ["switch \(place) {"]
        for (value, name, arguments) in alternative.cases {
            let number = decisions[field.name]?.numbers[value] ?? 0
            let bindings = arguments.map { "let \(property(of: $0))" }.joined(separator: ", ")
            lines.append(arguments.isEmpty ? "case .\(name):" : "case .\(name)(\(bindings)):")
            lines.append("    fields.put(\(field.number), UInt32(\(number)))")
            lines += try writing(arguments).map { "    " + $0 }
        }
        return lines + ["}"]
    }
}
