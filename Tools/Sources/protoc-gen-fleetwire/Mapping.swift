import SwiftProtobufPluginLibrary

/// How the messages of `proto/` are mapped to Swift types, as the files in `proto/mapping` say.
///
/// Numbers and wire types of fields are in `proto/` alone. A field that the mapping does not name
/// follows the conventions in ``Naming``.
struct Mapping {
    /// The Swift type of fields with that type and name in `proto/`, in every message: `string device`.
    var types: [String: String] = [:]
    /// The property of fields with that name, where it is not the name in Swift's spelling.
    var properties: [String: String] = [:]
    /// Fields with a mapping of their own, by message and field: `Post.subject`.
    var fields: [String: FieldMapping] = [:]
    /// What precedes the names of fields in errors, by message.
    var prefixes: [String: String] = [:]
    /// Types that are written by hand.
    var written: Set<String> = []
    /// Types whose properties are variables; those of all others are constants, which are copied less.
    var mutable: Set<String> = []
    /// Types of single fields, in the order of the mapping.
    var values: [ValueMapping] = []
    var enums: [String: EnumMapping] = [:]
    var messages: [String: MessageMapping] = [:]
    /// By message and oneof: `Command.kind`.
    var oneofs: [String: OneofMapping] = [:]
}

/// A Swift type that one field holds: it is made by an initializer with one argument.
struct ValueMapping {
    let type: String
    /// What the field is in the bytes, as a Swift type.
    let wireType: String
    /// The initializer's label; nil where it has none.
    let label: String?
    /// The expression that is written.
    let written: String
    /// The error's text when the initializer returns nil; nil when it never does.
    let expected: String?
    /// Whether fields say that themselves.
    let isExpectedGiven: Bool
}

/// An enum of `proto/`, and the Swift enum whose cases have the same names.
struct EnumMapping {
    let type: String
    /// The allowed values in words.
    let expected: String
}

/// A message, and the initializer of the Swift type that it stands for.
struct MessageMapping {
    /// How the value is made of the fields.
    enum Form {
        /// By the initializer of a type.
        case value(type: String, arguments: [Argument])
        /// As the arguments of a function and the result of another: a message without a type of its own.
        case tuple([Argument])
        /// As the enum that one of its fields, or its only oneof, decides the case of.
        case alternative(String)
        /// By a conformance in `FleetProtocol/Wire`, which has functions for the fields that are named.
        case manual([Argument])
    }

    /// A message that is a whole frame.
    struct Envelope {
        /// The most bytes, as an expression.
        var limit: String?
        /// The field whose number an error names.
        var correlation: String?
    }

    /// The rule that several fields have together.
    struct Check {
        let field: String
        let condition: String
        let expected: String
    }

    var form: Form
    /// The type of a value that is read by hand, where it has not the name of the message.
    var type: String?
    /// Whether the fields that are not arguments are assigned to properties.
    var assignsRest = false
    /// The text when the initializer returns nil, and the error that it throws.
    var expected: String?
    var thrownError: String?
    /// What precedes the name of a field in an error.
    var prefix: String
    var isVerified = false
    var envelope: Envelope?
    var checks: [Check] = []
    var alternatives: [String: Alternative] = [:]
    /// Arrays of rows and groups of columns, by the names that arguments have for them.
    var columns: [String: Columns] = [:]
    var blocks: [String: Block] = [:]
}

/// An array whose elements' values are in columns: repeated fields of one length.
struct Columns {
    let type: String
    let arguments: [Argument]
    /// Its name in an error about the number of rows.
    let name: String
    let limit: String?
    /// Its name, and what is said, where columns have not one length.
    let lengthName: String
    let expected: String
    /// Bytes to reserve for each row.
    let reserved: String?
}

/// Columns of neighbouring numbers that a type of their own reads and writes.
struct Block {
    let type: String
    let fields: [String]
    /// Whether each row has a value.
    let isRequired: Bool
}

/// One argument of an initializer: a field, or a value made of several.
struct Argument {
    indirect enum Source {
        case field(String)
        case value(type: String, arguments: [Argument])
        /// What other fields say, `$row` for the value of one; it is not written.
        case expression(String)
    }

    let label: String?
    let source: Source
}

/// An enum whose case an enum field of the message decides, and other fields are its payload.
struct Alternative {
    let type: String
    /// The case and its arguments for each value, without the enum's prefix.
    var cases: [(value: String, name: String, arguments: [Argument])] = []

    /// Adds cases without arguments for the values that the mapping does not name.
    mutating func complete(
        with values: [String: EnumValueDescriptor], in field: String
    ) throws(MappingError) {
        if let unknown = cases.first(where: { values[$0.value] == nil }) {
            throw MappingError("the enum of \(field) has no value \(unknown.value)")
        }
        let named = Set(cases.map(\.value))
        cases += values.keys.filter { !named.contains($0) }.map { ($0, Naming.camelCase($0), []) }
        cases.sort { values[$0.value]?.number ?? 0 < values[$1.value]?.number ?? 0 }
    }
}

/// The mapping of one field.
struct FieldMapping {
    var type: String?
    var property: String?
    /// Its name in errors.
    var name: String?
    /// Whether its name in errors is without the prefix of its message.
    var isBare = false
    /// Whether 0, nothing or absence is nil.
    var isOptional = false
    /// Whether an absent message is read as one without fields.
    var isEmptyByDefault = false
    /// The value of an absent message.
    var fallback: String?
    /// The most bytes of a text, which is written no longer.
    var cut: String?
    /// The largest number, or the most bytes or elements.
    var limit: String?
    /// The same, of a field with at least 1.
    var range: String?
    /// Whether few rows have a value: each is a message that names its row.
    var isSparse = false
    /// A condition in which `$` is the value.
    var condition: String?
    var expected: String?
}

/// A oneof, and the Swift enum whose cases its fields are.
struct OneofMapping {
    enum Member {
        /// A case of another name.
        case named(String)
        /// A case, several or a part of one, by functions in `FleetProtocol/Wire`.
        case manual(cases: [String], needsContext: Bool)
    }

    /// Fields of neighbouring numbers that are one case: its payload is the enum of theirs.
    struct Group {
        let numbers: ClosedRange<Int>
        let name: String
        let type: String
    }

    let type: String
    /// Whether another oneof with these fields, and more, makes the code.
    var isShared = false
    /// Its name in errors, and what is said of none.
    var name: String
    /// The value that the messages of the oneof are read with, and the field that it is of.
    var context: (label: String, type: String, field: String)?
    var members: [String: Member] = [:]
    var groups: [Group] = []
}
