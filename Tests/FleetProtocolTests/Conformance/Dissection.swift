import FleetProtocol

/// A message decoded with `proto/` alone: each field's bytes, name and value.
struct Dissection {
    /// An error in the bytes.
    struct Unreadable: Error {
        let what: String
    }

    /// One field, without the contents of a message in it.
    struct Field {
        let message: String
        let name: String
        let value: String
        let bytes: [UInt8]
        let isMessage: Bool
        let isRepeated: Bool
        /// The number of messages around it.
        let depth: Int
    }

    /// In the order of the bytes; those of an inner message follow its own.
    let fields: [Field]

    init(of bytes: [UInt8], as message: String, in schema: ProtoSchema) throws {
        var reader = Reader(schema: schema)
        try reader.read(bytes[...], as: message, depth: 0)
        fields = reader.fields
    }
}

/// Goes through a message's bytes.
private struct Reader {
    let schema: ProtoSchema
    var fields: [Dissection.Field] = []

    mutating func read(_ bytes: ArraySlice<UInt8>, as message: String, depth: Int) throws {
        var rest = bytes
        while !rest.isEmpty {
            let begin = rest.startIndex
            let key = try Self.varint(&rest)
            guard let field = schema.messages[message]?[Int(key >> 3)] else {
                throw Dissection.Unreadable(what: "field \(key >> 3) of \(message)")
            }
            var inside: ArraySlice<UInt8>?
            let value: String
            switch key & 7 {
            case 0: value = text(for: try Self.varint(&rest), field)
            case 1: value = "0x" + Array(try Self.read(8, &rest).reversed()).hexadecimal
            case 2:
                let count = Int(try Self.varint(&rest))
                let isMessage = schema.messages[field.type] != nil
                let content = try Self.read(count, &rest)
                if isMessage { inside = content }
                value =
                    isMessage
                    ? "\(field.type), \(count) bytes"
                    : field.type == "string"
                        ? "\"\(String(decoding: content, as: UTF8.self))\"" : "\(count) bytes"
            default: throw Dissection.Unreadable(what: "wire type \(key & 7) of \(message).\(field.name)")
            }
            let end = inside?.startIndex ?? rest.startIndex
            fields.append(
                Dissection.Field(
                    message: message, name: field.name, value: value, bytes: Array(bytes[begin..<end]),
                    isMessage: inside != nil, isRepeated: field.isRepeated, depth: depth))
            if let inside { try read(inside, as: field.type, depth: depth + 1) }
        }
    }

    private func text(for number: UInt64, _ field: ProtoSchema.Field) -> String {
        switch field.type {
        case "bool": number == 1 ? "true" : "false"
        case "sint32", "sint64": "\(Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1))"
        default: schema.enums[field.type]?[number] ?? "\(number)"
        }
    }

    private static func varint(_ rest: inout ArraySlice<UInt8>) throws -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while let byte = rest.popFirst(), shift < 64 {
            value |= UInt64(byte & 0x7f) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        throw Dissection.Unreadable(what: "a number that does not end")
    }

    private static func read(_ count: Int, _ rest: inout ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
        guard rest.count >= count else {
            throw Dissection.Unreadable(what: "\(count) bytes where \(rest.count) are left")
        }
        defer { rest.removeFirst(count) }
        return rest.prefix(count)
    }
}
