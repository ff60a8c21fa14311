import SwiftProtobuf
import SwiftProtobufPluginLibrary
import Testing

@testable import protoc_gen_fleetwire

/// The codec generator, with a message of two fields, and one of an optional field.
///
/// `FleetProtocolTests` of the main package tests its output for `proto/`.
@Suite("The codec generator")
struct FleetWireTests {
    /// `message Login { uint32 request_id = 2; bool connected = 1; }` and
    /// `message Search { optional string device = 1; }`.
    private var file: FileDescriptor {
        get throws {
            let file = Google_Protobuf_FileDescriptorProto.with {
                $0.name = "login.proto"
                $0.syntax = "proto3"
                $0.messageType = [
                    .with {
                        $0.name = "Login"
                        $0.field = [
                            Self.field("request_id", 2, .uint32), Self.field("connected", 1, .bool),
                        ]
                    },
                    .with {
                        $0.name = "Search"
                        $0.oneofDecl = [.with { $0.name = "_device" }]
                        var device = Self.field("device", 1, .string)
                        (device.proto3Optional, device.oneofIndex) = (true, 0)
                        $0.field = [device]
                    },
                ]
            }
            return try #require(DescriptorSet(protos: [file]).files.first)
        }
    }

    private static func field(
        _ name: String, _ number: Int32, _ type: Google_Protobuf_FieldDescriptorProto.TypeEnum
    ) -> Google_Protobuf_FieldDescriptorProto {
        .with {
            $0.name = name
            $0.number = number
            $0.jsonName = name
            $0.type = type
            $0.label = .optional
        }
    }

    private func mapping(_ text: String) throws -> Mapping {
        var parser = MappingParser()
        try parser.read(text, of: "login.mapping")
        return parser.mapping
    }

    /// The lines of a message's code, without indentation.
    private func lines(_ text: String, message: Int = 0) throws -> [Substring] {
        let (file, mapping) = (try file, try mapping(text))
        try mapping.check(against: [file])
        var code = CodePrinter(addNewlines: true)
        try MessageCode(message: try Message(file.messages[message], mapping)).append(to: &code)
        return code.content.split(separator: "\n").map { $0.drop { $0 == " " } }
    }

    @Test("without a mapping, fields are arguments in the order of their numbers, in Swift's spelling")
    func conventions() throws {
        let lines = try lines("")
        #expect(lines.contains("extension Login: WireFields {"))
        #expect(lines.contains("case 2: try fields.read(&requestID)"))
        #expect(lines.contains("self.init(isConnected: connected, requestID: requestID)"))
        #expect(lines.suffix(4) == ["fields.put(1, isConnected)", "fields.put(2, requestID)", "}", "}"])
    }

    @Test("an optional device is written if there is one")
    func optionalDevice() throws {
        let lines = try lines("type string DeviceID device", message: 1)
        #expect(lines.contains("public let device: DeviceID?"))
        #expect(lines.suffix(3) == ["if let value = device { fields.put(1, value) }", "}", "}"])
    }

    @Test(
        "the type is declared with a property and a default value for each field",
        arguments: [("", "let"), ("mutable Login", "var")])
    func declaration(mapping: String, keyword: String) throws {
        let lines = try lines(mapping)
        let place = try #require(lines.firstIndex { $0 == "public struct Login: Hashable, Sendable {" })
        #expect(
            lines[place...].dropFirst().prefix(4).elementsEqual([
                "public \(keyword) isConnected: Bool", "public \(keyword) requestID: UInt32",
                "public init(isConnected: Bool = false, requestID: UInt32 = 0) {",
                "self.isConnected = isConnected",
            ]))
    }

    @Test("a type that is written by hand is not declared")
    func written() throws {
        #expect(try !lines("written Login").contains { $0.hasPrefix("public struct") })
    }

    @Test("arguments in another order are written in the order of the fields' numbers")
    func order() throws {
        let lines = try lines("message Login Session(id: request_id, _ connected)")
        #expect(lines.contains("self.init(id: requestID, connected)"))
        #expect(lines.suffix(4) == ["fields.put(1, isConnected)", "fields.put(2, id)", "}", "}"])
    }

    @Test("a bound is checked before the value is made, with the field's name in errors")
    func bounds() throws {
        let lines = try lines(
            """
            errors "login." Login
            at most 7 Login.request_id
            """)
        let check = try #require(lines.firstIndex { $0.hasPrefix("guard requestID <= 7 else") })
        #expect(lines[check].contains("throw .malformed(\"login.request_id\""))
        #expect(lines[check + 1].hasPrefix("self.init("))
    }

    @Test(
        "a mapping that does not fit the messages is refused with the reason",
        arguments: [
            ("message Login Login(request_id)", "the mapping of Login leaves out connected"),
            ("message Login Login(request_id, connected, token)", "Login has no field token"),
            ("optional Login.token", "unknown field Login.token"),
            ("message Logout", "unknown message Logout"),
            ("enum Role \"a role\"", "unknown enum Role"),
            ("message Login\nmessage Login", "login.mapping:2: Login is mapped twice"),
            ("# a comment\nmassage Login", "login.mapping:2: unexpected: massage"),
            ("    connected or 1", "login.mapping:1: an indented line without a message or oneof above it"),
        ])
    func refused(text: String, reason: String) throws {
        let error = #expect(throws: MappingError.self) { try lines(text) }
        #expect(error?.description == reason)
    }

    /// The lines of the code of the records, without their indentation.
    private func recordLines(_ text: String) throws -> [Substring] {
        var code = CodePrinter(addNewlines: true)
        for record in try RecordModule(text, of: "Files.records").records {
            RecordCode(record: record).append(to: &code)
        }
        return code.content.split(separator: "\n").map { $0.drop { $0 == " " } }
    }

    @Test("a record's fields are written and read in the order of the declaration")
    func record() throws {
        let lines = try recordLines(
            """
            record Plan(1 "form", id: UInt64, steps: [Step] behind UInt32 at most 9, takes: Int64 = takes.ms) \
            as (id, takes: .milliseconds(takes)) throws PlanError malformed "plan"
            """)
        #expect(lines.contains("extension Plan: Recordable {"))
        let written = ["writer.put(byte: 1)", "writer.put(id)", "writer.put(UInt32(steps.count))"]
        let place = try #require(lines.firstIndex { $0 == written[0] })
        #expect(lines[place...].prefix(3).elementsEqual(written) { $0 == $1 })
        #expect(lines.contains("writer.put(takes.ms)"))
        #expect(lines.contains("guard stepsCount <= 9 else { throw .malformed(field: \"steps\") }"))
        #expect(lines.contains("try self.init(id, takes: .milliseconds(takes))"))
        #expect(lines.contains("throw .malformed(field: \"plan\")"))
    }

    @Test("a rule over the fields is checked before the value is made from other arguments")
    func rule() throws {
        let lines = try recordLines(
            """
            record Plan(id: UInt64, step: UInt64) where max(id, step) < 9 malformed "number" as (id: id / 2)
            """)
        let rule = "guard max(id, step) < 9 else { throw .malformed(field: \"number\") }"
        let place = try #require(lines.firstIndex { $0 == rule })
        #expect(lines[place + 1] == "self.init(id: id / 2)")
    }

    @Test("a case of an enum is its byte and its payload")
    func cases() throws {
        let lines = try recordLines(
            """
            cases Step malformed "step"
                1 wait
                7 send(Device, after: UInt32)
                9 read by formerStep
            """)
        #expect(lines.contains("case .wait:"))
        #expect(lines.contains("case .send(let value0, let after):"))
        #expect(lines.contains("self = .send(value0, after: after)"))
        #expect(lines.contains("case 9: self = try Self.formerStep(from: &reader)"))
        #expect(lines.contains("default: throw .malformed(field: \"step\")"))
    }

    @Test(
        "records that cannot be understood are refused with the reason",
        arguments: [
            ("recrod Plan(id: UInt64)", "Files.records:1: unexpected: recrod"),
            ("    1 wait", "Files.records:1: an indented line without a record above it"),
            ("record Plan(id)", "Files.records:1: expected : before: )"),
            ("record Plan(id: UInt64) or nothing", "Files.records:1: unexpected: or nothing"),
        ])
    func refusedRecord(text: String, reason: String) throws {
        let error = #expect(throws: MappingError.self) { try recordLines(text) }
        #expect(error?.description == reason)
    }
}
