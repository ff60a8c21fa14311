import SwiftProtobufPluginLibrary

/// The Swift code of columns.
extension Message {
    /// Columns that a type of their own reads and writes, by the names of their variables.
    var blocks: [(name: String, block: Block)] {
        mapping.blocks.map { (Naming.variable($0.key), $0.value) }.sorted { $0.0 < $1.0 }
    }

    func isInBlock(_ field: Field) -> Bool {
        mapping.blocks.values.contains { $0.fields.contains(field.name) }
    }

    func isColumn(_ field: Field) -> Bool {
        mapping.columns.values.contains { names(in: $0.arguments).contains(field.name) }
    }

    func numbers(of block: Block) -> [Int] { block.fields.compactMap { field($0)?.number } }

    /// Makes the rows of columns.
    func readRows(_ code: inout CodePrinter) {
        for (name, columns) in mapping.columns.sorted(by: { $0.key < $1.key }) {
            let fields = names(in: columns.arguments).compactMap { field($0) }.sorted {
                $0.number < $1.number
            }
            guard let first = fields.first?.variable else { continue }
            checkLengths(of: columns, fields, first, &code)
            for field in fields where field.mapping.isSparse {
                code.print("let \(field.variable)ByRow = \(field.type).byRow(\(field.variable))")
            }
            let rows = "\(Naming.variable(name))Value"
            code.print("var \(rows): [\(columns.type)] = []", "\(rows).reserveCapacity(\(first).count)")
            code.print("for index in \(first).indices {")
            code.printIndented("\(rows).append(")
            code.printIndented("    \(columns.type)(")
            let arguments = elements(columns.arguments).joined(separator: ",\n        ")
            code.printIndented("        \(arguments)))")
            code.print("}")
        }
    }

    /// Refuses columns that have not one length, and more rows than allowed.
    private func checkLengths(
        of columns: Columns, _ fields: [Field], _ first: String, _ code: inout CodePrinter
    ) {
        let blocks = blocks.map { name, block in
            let hasLength = "\(name).areOfLength(\(first).count)"
            return block.isRequired ? hasLength : "\(name).areAbsent || \(hasLength)"
        }
        let lengths = fields.dropFirst().filter { !isInBlock($0) && !$0.mapping.isSparse }.map { field in
            let isEqual = "\(field.variable).count == \(first).count"
            return field.mapping.fallback == nil ? isEqual : "\(field.variable).isEmpty || \(isEqual)"
        }
        code.print("guard")
        code.printIndented((lengths + blocks).joined(separator: ",\n"))
        code.print("else { throw .malformed(\"\(columns.lengthName)\", \"\(columns.expected)\") }")
        guard let limit = columns.limit else { return }
        code.print("guard \(first).count <= \(limit) else {")
        code.printIndented("throw .malformed(\"\(columns.name)\", \"at most \\(\(limit))\")")
        code.print("}")
    }

    /// The arguments of one row's initializer.
    private func elements(_ arguments: [Argument]) -> [String] {
        arguments.map { argument in
            let value =
                switch argument.source {
                case .value(let type, let arguments):
                    "\(type)(\(elements(arguments).joined(separator: ", ")))"
                case .expression(let text): text
                case .field(let name):
                    if let block = mapping.blocks[name] {
                        "try \(Naming.variable(name)).\(block.isRequired ? "required" : "value")(at: index)"
                    } else {
                        field(name)?.element ?? name
                    }
                }
            return label(of: argument).map { "\($0): \(value)" } ?? value
        }
    }

    /// The statements that write the columns of rows.
    func writing(_ columns: Columns, _ rows: String) -> Statements {
        let reserving: Statements =
            columns.reserved.map { [(number: 0, lines: ["fields.reserve(\($0) * \(rows).count)"])] } ?? []
        return reserving + writing(columns.arguments, rows) { "\(rows)[\($0)]" }
    }

    private func writing(
        _ arguments: [Argument], _ rows: String, _ path: @escaping (_ place: String) -> String
    ) -> Statements {
        arguments.flatMap { argument -> Statements in
            let property = property(of: argument)
            let place = { (place: String) in path(place) + "." + property }
            switch argument.source {
            case .value(_, let arguments): return writing(arguments, rows, place)
            case .expression: return []
            case .field(let name):
                if let block = mapping.blocks[name] {
                    let number = numbers(of: block).min() ?? 0
                    let line =
                        "\(block.type).write(\(rows).count, from: \(number), to: &fields) { \(place("$0")) }"
                    return [(number, [line])]
                }
                guard let field = field(name) else { return [] }
                let lines = field.writingColumn(rows, place).split(separator: "\n").map(String.init)
                return [(field.number, lines)]
            }
        }
    }
}
