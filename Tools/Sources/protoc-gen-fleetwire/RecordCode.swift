import SwiftProtobufPluginLibrary

/// The Swift code of a record: the conformance of a type to `Recordable`.
struct RecordCode {
    let record: RecordDeclaration

    func append(to code: inout CodePrinter) {
        code.print("", "extension \(record.type): Recordable {")
        code.indent()
        code.print("public func write(to writer: inout RecordWriter) {")
        code.printIndented(lines: writing)
        code.print("}", "", "public init(from reader: inout RecordReader) throws(RecordError) {")
        code.printIndented(lines: reading)
        code.print("}")
        code.outdent()
        code.print("}")
    }

    private var writing: [String] {
        switch record.layout {
        case .byte: ["writer.put(byte: rawValue)"]
        case .fields(let fields): fields.flatMap(\.writing)
        case .flags(let fields): Self.writing(flags: fields)
        case .cases(let cases):
            ["switch self {"] + cases.filter { $0.reader == nil }.flatMap(\.writing) + ["}"]
        }
    }

    private var reading: [String] {
        switch record.layout {
        case .byte:
            ["guard let value = Self(rawValue: try reader.readByte()) else { \(refusal) }", "self = value"]
        case .fields(let fields): fields.flatMap(\.reading) + check + making(fields)
        case .flags(let fields): Self.reading(flags: fields)
        case .cases(let cases):
            ["switch try reader.readByte() {"] + cases.flatMap(\.reading) + ["default: \(refusal)", "}"]
        }
    }

    private var refusal: String { RecordField.refusal(record.malformed ?? record.type) }

    private var check: [String] {
        record.condition.map { ["guard \($0) else { \(refusal) }"] } ?? []
    }

    /// The statements that make the value of fields that were read.
    private func making(_ fields: [RecordField]) -> [String] {
        let arguments = record.arguments ?? fields.compactMap(\.argument).joined(separator: ", ")
        if record.isFailable {
            return ["guard let value = Self(\(arguments)) else { \(refusal) }", "self = value"]
        }
        guard let error = record.thrownError else { return ["self.init(\(arguments))"] }
        return [
            "do throws(\(error)) {", "    try self.init(\(arguments))", "} catch {", "    \(refusal)", "}",
        ]
    }

    private static func writing(flags fields: [RecordField]) -> [String] {
        let bits = fields.enumerated().map { "if \($1.name) != nil { flags |= \(1 << $0) }" }
        let values = fields.map { "if let \($0.name) { writer.put(\($0.name)) }" }
        return ["var flags: UInt8 = 0"] + bits + ["writer.put(byte: flags)"] + values
    }

    private static func reading(flags fields: [RecordField]) -> [String] {
        ["self.init()", "let flags = try reader.readByte()"]
            + fields.enumerated().map { "if flags & \(1 << $0) != 0 { \($1.name) = \($1.value) }" }
    }
}

extension RecordField {
    static func refusal(_ name: String) -> String { "throw .malformed(field: \"\(name)\")" }

    /// The argument of an initializer; nil for a constant.
    fileprivate var argument: String? {
        guard constant == nil else { return nil }
        return label.map { "\($0): \(name)" } ?? name
    }

    fileprivate var writing: [String] {
        if let constant { return ["writer.put(byte: \(constant))"] }
        if let count {
            let each = "for element in \(written) { writer.put(element) }"
            guard case .stored(let type, _) = count else { return [each] }
            return ["writer.put(\(type)(\(written).count))", each]
        }
        if type == "Double" { return ["writer.put(\(written).bitPattern)"] }
        return [type.hasSuffix("!") ? "writer.put(padded: \(written))" : "writer.put(\(written))"]
    }

    fileprivate var reading: [String] {
        if let constant {
            return ["guard try reader.readByte() == \(constant) else { \(Self.refusal(errorName)) }"]
        }
        guard let count else { return ["let \(name) = \(value)"] }
        let append = "\(name).append(\(value))"
        switch count {
        case .sameAs(let other):
            return ["var \(name): [\(type)] = []", "for _ in \(other) { \(append) }"]
        case .stored(let number, let limit):
            let check = limit.map { "guard \(name)Count <= \($0) else { \(Self.refusal(errorName)) }" }
            return ["let \(name)Count = try reader.read(\(number).self)"] + (check.map { [$0] } ?? [])
                + ["var \(name): [\(type)] = []", "for _ in 0..<\(name)Count { \(append) }"]
        }
    }

    /// The expression that reads a value.
    fileprivate var value: String {
        switch type {
        case "Bool": "try reader.readBool(\"\(errorName)\")"
        case "String": "try reader.readText(\"\(errorName)\")"
        case "Int": "try reader.readInt(\"\(errorName)\")"
        case "Double": "Double(bitPattern: try reader.read(UInt64.self))"
        case _ where type.hasSuffix("?"):
            "try reader.readOptional(\(type.dropLast()).self, \"\(errorName)\")"
        case _ where type.hasSuffix("!"):
            "try reader.readPadded(\(type.dropLast()).self, \"\(errorName)\")"
        default: "try reader.read(\(type).self)"
        }
    }
}

extension RecordCase {
    fileprivate var writing: [String] {
        let names = payload.map { "let \($0.name)" }.joined(separator: ", ")
        let pattern = pattern ?? (payload.isEmpty ? ".\(name)" : ".\(name)(\(names))")
        return ["case \(pattern):", "    writer.put(byte: \(code))"]
            + payload.flatMap(\.writing).map { "    \($0)" }
    }

    fileprivate var reading: [String] {
        if let reader { return ["case \(code): self = try Self.\(reader)(from: &reader)"] }
        let arguments = payload.compactMap(\.argument).joined(separator: ", ")
        let value = value ?? (payload.isEmpty ? ".\(name)" : ".\(name)(\(arguments))")
        return ["case \(code):"] + payload.flatMap(\.reading).map { "    \($0)" } + ["    self = \(value)"]
    }
}

extension CodePrinter {
    fileprivate mutating func printIndented(lines: [String]) {
        for line in lines { printIndented(line) }
    }
}
