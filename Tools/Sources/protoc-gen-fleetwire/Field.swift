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
    /// Its name in `proto/`.
    let name: String
    let wire: Wire
    let presence: Presence
    /// The Swift type of its value, or of each where it is repeated.
    let type: String
    let mapping: FieldMapping
    /// Its name in errors.
    let errorName: String
    /// The property or argument that holds it.
    let property: String

    init(_ field: FieldDescriptor, in message: MessageMapping, of mapping: Mapping) throws(MappingError) {
        self.mapping = message.fields[field.name] ?? FieldMapping()
        number = Int(field.number)
        name = field.name
        let isOptional = field.containingOneof != nil && field.realContainingOneof == nil
        presence = field.isRepeated ? .repeated : isOptional ? .optional : .single
        wire = try Self.wire(field)
        let known = self.mapping.type ?? mapping.types["\(Self.typeName(field)) \(field.name)"]
        switch wire {
        case .message: type = try Self.type(of: field.messageType.name, in: mapping)
        case .number("UInt32") where field.type == .enum:
            guard let known = mapping.enums[field.enumType.name] else {
                throw MappingError("enum \(field.enumType.name) has no mapping")
            }
            type = self.mapping.type ?? known.type
        case .number(let number): type = known ?? number
        case .fixed: type = known ?? "UInt64"
        case .truth: type = "Bool"
        case .double: type = "Double"
        case .text: type = known ?? "String"
        case .bytes: type = known ?? "[UInt8]"
        }
        errorName = self.mapping.name ?? message.prefix + field.name
        property =
            self.mapping.property ?? mapping.properties[field.name]
            ?? (wire == .truth ? Naming.truth(field.name) : Naming.camelCase(field.name))
    }

    private static func typeName(_ field: FieldDescriptor) -> String { "\(field.type)" }

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
