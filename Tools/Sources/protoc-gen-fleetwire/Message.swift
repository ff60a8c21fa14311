import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A message with its mapping: what the code that reads and writes it is made of.
struct Message {
    /// Fields that exclude each other.
    struct Oneof {
        let name: String
        let mapping: OneofMapping
        let fields: [FieldDescriptor]

        var numbers: [Int] { fields.map { Int($0.number) } }
        var variable: String { Naming.variable(name) }
    }

    let name: String
    /// Its comment in `proto/`, by line.
    let comment: [String]
    let mapping: MessageMapping
    let all: Mapping
    /// Those of no oneof, by number.
    let fields: [Field]
    let oneofs: [Oneof]
    /// The numbers and comments of the values that decide alternatives, by the field's name and the value's.
    let decisions: [String: Decision]

    typealias Decision = (expected: String, numbers: [String: Int], comments: [String: [String]])

    init(_ descriptor: Descriptor, _ all: Mapping) throws(MappingError) {
        (name, comment) = (descriptor.name, descriptor.comment)
        self.all = all
        var mapping = all.messages[name] ?? Self.conventional(descriptor)
        mapping.prefix = all.prefixes[name] ?? mapping.prefix
        var (fields, decisions) = ([Field](), [String: Decision]())
        for field in descriptor.fields where field.realContainingOneof == nil {
            fields.append(try Field(field, in: mapping, of: all))
            guard mapping.alternatives[field.name] != nil, let list = field.enumType else { continue }
            let values = EnumCode.values(of: list)
            decisions[field.name] = (
                all.enums[list.name]?.expected ?? "another value",
                values.mapValues { Int($0.number) }, values.mapValues(\.comment)
            )
            try mapping.alternatives[field.name]?.complete(with: values, in: field.fullName)
        }
        self.mapping = mapping
        self.fields = fields.sorted { $0.number < $1.number }
        self.decisions = decisions
        var oneofs: [Oneof] = []
        for oneof in descriptor.realOneofs {
            let known = all.oneofs["\(name).\(oneof.name)"] ?? Self.conventional(oneof)
            oneofs.append(Oneof(name: oneof.name, mapping: known, fields: oneof.fields))
        }
        self.oneofs = oneofs
    }

    /// The mapping of a message that the files do not name.
    ///
    /// A message with nothing but the oneof `body` is an enum and a whole frame; a reply may be long.
    private static func conventional(_ message: Descriptor) -> MessageMapping {
        let isBody =
            message.realOneofs.map(\.name) == ["body"]
            && message.fields.allSatisfy { $0.realContainingOneof != nil || $0.name == "protocol" }
        guard isBody else {
            return MessageMapping(form: .value(type: message.name, arguments: []), prefix: "")
        }
        let limit = message.name.hasSuffix("Reply") ? "Limits.chunkBytes" : nil
        return MessageMapping(
            form: .alternative("body"), prefix: "", envelope: MessageMapping.Envelope(limit: limit))
    }

    /// The mapping of a oneof that the files do not name: an enum with the name of its message.
    private static func conventional(_ oneof: OneofDescriptor) -> OneofMapping {
        let message = oneof.containingType.name
        let kind =
            ["Request": "a request", "Reply": "a reply", "Update": "an update", "Record": "a record"]
            .first { message.hasSuffix($0.key) }?.value ?? "a message"
        return OneofMapping(type: message, name: "\(oneof.name): \(kind) of a kind that this version knows")
    }

    /// The type that it becomes; nil for one without a type of its own.
    var type: String? {
        switch mapping.form {
        case .value(let type, _): type
        case .manual: mapping.type ?? name
        case .alternative(let field):
            mapping.alternatives[field]?.type ?? oneof(field)?.mapping.type ?? name
        case .tuple: nil
        }
    }

    func field(_ name: String) -> Field? { fields.first { $0.name == name } }

    func oneof(_ name: String) -> Oneof? { oneofs.first { $0.name == name } }

    /// The fields that arguments name, and those that decide their alternatives.
    func names(in arguments: [Argument]) -> [String] {
        arguments.flatMap { argument -> [String] in
            switch argument.source {
            case .value(_, let arguments): names(in: arguments)
            case .expression: []
            case .field(let name):
                if let columns = mapping.columns[name] {
                    names(in: columns.arguments)
                } else if let block = mapping.blocks[name] {
                    block.fields
                } else {
                    [name] + (mapping.alternatives[name]?.cases.flatMap { names(in: $0.arguments) } ?? [])
                }
            }
        }
    }

    /// The fields and oneofs that the arguments leave out, except the version of the contract.
    func rest(of arguments: [Argument]) -> [Argument] {
        let known = Set(names(in: arguments) + (mapping.envelope == nil ? [] : ["protocol"]))
        let all = fields.map { ($0.number, $0.name) } + oneofs.map { ($0.numbers.min() ?? 0, $0.name) }
        return all.sorted { $0.0 < $1.0 }.filter { !known.contains($0.1) }.map {
            Argument(label: Argument.sameName, source: .field($0.1))
        }
    }

    /// The arguments of the initializer: those of the mapping, or all.
    func arguments() throws(MappingError) -> [Argument] {
        var arguments: [Argument]
        switch mapping.form {
        case .value(_, let named): arguments = named.isEmpty && !mapping.assignsRest ? rest(of: []) : named
        case .tuple(let named): arguments = named
        case .alternative(let name): arguments = [Argument(label: nil, source: .field(name))]
        case .manual(let named): arguments = named
        }
        if arguments.isEmpty, case .manual = mapping.form { return [] }
        let known = Set(fields.map(\.name) + oneofs.map(\.name))
        if let unknown = names(in: arguments).first(where: { !known.contains($0) }) {
            throw MappingError("\(name) has no field \(unknown)")
        }
        if !mapping.assignsRest, let missing = rest(of: arguments).first,
            case .field(let name) = missing.source
        {
            throw MappingError("the mapping of \(self.name) leaves out \(name)")
        }
        return arguments
    }

    /// The property that an argument is read from.
    func property(of argument: Argument) -> String {
        let label = argument.label == Argument.sameName ? nil : argument.label
        switch argument.source {
        case .value(let type, _): return label ?? Naming.variable(ofType: type)
        case .expression: return label ?? ""
        case .field(let name):
            guard let field = field(name) else { return label ?? Naming.camelCase(name) }
            return field.mapping.property ?? label ?? field.property
        }
    }

    /// The label that an argument is passed with.
    func label(of argument: Argument) -> String? {
        guard argument.label == Argument.sameName, case .field(let name) = argument.source else {
            return argument.label
        }
        return field(name)?.property ?? Naming.camelCase(name)
    }
}
