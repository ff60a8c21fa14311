import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A field of a message with its mapping.
struct Field {
    /// What its value is in the bytes.
    enum Wire: Equatable {
        /// A number that an initializer of that Swift type reads.
        case number(String)
        case fixed
        case truth
        case double
        case text
        case bytes
        case message
    }

    enum Presence {
        case single, optional, repeated
    }

    /// Integers that need a check when they are read, and no conversion when they are written.
    private static let narrow: Set = ["Int8", "Int16", "UInt8", "UInt16"]

    let number: Int
    /// Its comment in `proto/`, by line.
    let comment: [String]
    /// Its name in `proto/`.
    let name: String
    let wire: Wire
    let presence: Presence
    /// The Swift type of its value, or of each where it is repeated.
    let type: String
    let mapping: FieldMapping
    /// Its name in errors.
    let errorName: String
    /// The case of an enum that the number 0 stands for.
    private(set) var zero: String?
    /// The property or argument that holds it.
    let property: String

    init(_ field: FieldDescriptor, in message: MessageMapping, of mapping: Mapping) throws(MappingError) {
        number = Int(field.number)
        comment = field.comment
        name = field.name
        wire = try Self.wire(field)
        let isOptional = field.containingOneof != nil && field.realContainingOneof == nil
        // A message has presence anyway.
        presence = field.isRepeated ? .repeated : isOptional && wire != .message ? .optional : .single
        var known = mapping.fields[Mapping.place(field)] ?? FieldMapping()
        known.isOptional = known.isOptional || isOptional && wire == .message
        known.bound(wire, presence)
        self.mapping = known
        let namedType = known.type ?? mapping.types["\(field.type) \(field.name)"]
        switch wire {
        case .message: type = try Self.type(of: field.messageType.name, in: mapping)
        case .number("UInt32") where field.type == .enum:
            guard let list = mapping.enums[field.enumType.name] else {
                throw MappingError("enum \(field.enumType.name) has no mapping")
            }
            type = known.type ?? list.type
            let name = EnumCode.values(of: field.enumType).first { $0.value.number == 0 }?.key
            zero = name.map { ".\(Naming.camelCase($0))" }
        case .number(let number): type = namedType ?? number
        case .fixed: type = namedType ?? "UInt64"
        case .truth: type = "Bool"
        case .double: type = "Double"
        case .text: type = namedType ?? "String"
        case .bytes: type = namedType ?? "[UInt8]"
        }
        errorName = known.name ?? (known.isBare ? name : message.prefix + name)
        property =
            known.property ?? mapping.properties[name] ?? Naming.property(name, of: type)
    }

    private static func wire(_ field: FieldDescriptor) throws(MappingError) -> Wire {
        switch field.type {
        case .uint32, .enum: .number("UInt32")
        case .uint64: .number("UInt64")
        case .sint32: .number("Int32")
        case .sint64: .number("Int64")
        case .fixed64: .fixed
        case .bool: .truth
        case .double: .double
        case .string: .text
        case .bytes: .bytes
        case .message: .message
        case .float, .int64, .int32, .fixed32, .group, .sfixed32, .sfixed64:
            throw MappingError("\(field.fullName): FieldReader reads no field of this type")
        }
    }

    private static func type(of message: String, in mapping: Mapping) throws(MappingError) -> String {
        guard let known = mapping.messages[message] else { return message }
        return switch known.form {
        case .value(let type, _): type
        case .manual: known.type ?? message
        case .alternative(let name):
            known.alternatives[name]?.type ?? mapping.oneofs["\(message).\(name)"]?.type ?? message
        case .tuple: throw MappingError("\(message) has no Swift type, and can be a oneof's alone")
        }
    }

    /// The Swift type of the bytes' value.
    var wireType: String {
        switch wire {
        case .number(let type): type
        case .fixed: "UInt64"
        case .truth: "Bool"
        case .double: "Double"
        case .text: "String"
        case .bytes: "[UInt8]"
        case .message: "FieldReader"
        }
    }

    /// Whether it is a device's id, which is read as such.
    var isDevice: Bool { type == "DeviceID" && !mapping.isOptional }

    /// Whether the value is another type than what is in the bytes.
    var isConverted: Bool { type != wireType }

    /// Whether it is written without a conversion.
    var isWrittenAsIs: Bool { !isConverted || isNarrow }

    var isNarrow: Bool { Self.narrow.contains(type) }

    var variable: String { Naming.variable(name) }

    /// The type of the property.
    var fullType: String {
        switch presence {
        case .repeated: "[\(type)]"
        case .optional: "\(type)?"
        case .single: mapping.isOptional ? "\(type)?" : type
        }
    }
}

extension FieldMapping {
    /// Makes a rule of the limit of bytes, or of the range.
    fileprivate mutating func bound(_ wire: Field.Wire, _ presence: Field.Presence) {
        let isText = presence == .single && wire == .text
        let isNumber = presence == .single && !isText && wire != .bytes
        let unit = presence == .single && !isNumber ? " bytes" : ""
        if let limit, presence == .single, wire == .bytes {
            (condition, expected) = ("$.count <= \(limit)", "at most \\(\(limit)) bytes")
            self.limit = nil
        }
        guard let range else { return }
        condition =
            isNumber
            ? "(1...UInt32(\(range))).contains($)"
            : "(1...\(range)).contains($\(isText ? ".utf8" : "").count)"
        expected = "1 to \\(\(range))\(unit)"
    }
}

extension ProvidesSourceCodeLocation {
    /// The comment in `proto/` as documentation, by line.
    var comment: [String] { protoSourceComments().split(separator: "\n").map(String.init) }
}
