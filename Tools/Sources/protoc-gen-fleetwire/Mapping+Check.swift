import SwiftProtobufPluginLibrary

extension Mapping {
    /// Refuses a mapping of what `proto/` does not declare.
    func check(against files: [FileDescriptor]) throws(MappingError) {
        let all = files.flatMap(\.messages)
        let declared: [(kind: String, names: Set<String>, mapped: [String])] = [
            ("message", Set(all.map(\.name)), Array(messages.keys) + Array(prefixes.keys)),
            ("field", Set(all.flatMap(\.fields).map(Self.place)), Array(fields.keys)),
            ("enum", Set(files.flatMap(\.enums).map(\.name)), Array(enums.keys)),
            ("oneof", Set(all.flatMap(\.realOneofs).map(Self.key)), Array(oneofs.keys)),
        ]
        for (kind, names, mapped) in declared {
            if let name = mapped.sorted().first(where: { !names.contains($0) }) {
                throw MappingError("unknown \(kind) \(name)")
            }
        }
        try checkShared(all.flatMap(\.realOneofs))
    }

    static func place(_ field: FieldDescriptor) -> String { "\(field.containingType.name).\(field.name)" }

    private static func key(_ oneof: OneofDescriptor) -> String {
        "\(oneof.containingType.name).\(oneof.name)"
    }

    /// Refuses a shared oneof that has a field which the oneof with its code has not.
    private func checkShared(_ all: [OneofDescriptor]) throws(MappingError) {
        for oneof in all {
            guard let known = oneofs[Self.key(oneof)], known.isShared else { continue }
            let others = all.filter { other in
                oneofs[Self.key(other)].map { !$0.isShared && $0.type == known.type } ?? false
            }
            let fields = others.flatMap(\.fields)
            for field in oneof.fields {
                let isKnown = fields.contains { other in
                    other.number == field.number && other.messageType?.name == field.messageType?.name
                }
                guard isKnown else {
                    throw MappingError("\(Self.key(oneof)) shares no code for its field \(field.name)")
                }
            }
        }
    }
}
