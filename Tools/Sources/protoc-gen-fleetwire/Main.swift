import Foundation
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A plugin of protoc that makes the readers and writers of `FleetProtocol`, and of the records in files.
///
/// Its parameter `Mapping` is the folder with the mapping's files, and its output the folder `Sources`.
@main
struct FleetWire: CodeGenerator {
    private static let codecFolder = "FleetProtocol/Generated"

    var supportedFeatures: [Google_Protobuf_Compiler_CodeGeneratorResponse.Feature] { [.proto3Optional] }

    func generate(
        files: [FileDescriptor], parameter: any CodeGeneratorParameter,
        protoCompilerContext: any ProtoCompilerContext, generatorOutputs: any GeneratorOutputs
    ) throws {
        guard let folder = parameter.parsedPairs.first(where: { $0.key == "Mapping" })?.value else {
            throw MappingError("no mapping: pass --fleetwire_opt=Mapping=FOLDER")
        }
        let mapping = try Self.mapping(in: folder)
        try Self.addRecords(of: folder, to: generatorOutputs)
        try mapping.check(against: files)
        let decisive = Set(
            files.flatMap(\.messages).flatMap { message in
                message.fields.filter { mapping.messages[message.name]?.alternatives[$0.name] != nil }
                    .compactMap { $0.enumType?.name }
            })
        var values = Self.heading(of: "proto/mapping")
        for value in mapping.values { ValueCode(mapping: value).append(to: &values) }
        try generatorOutputs.add(fileName: "\(Self.codecFolder)/values.wire.swift", contents: values.content)
        for file in files {
            let name = file.name.split(separator: "/").last?.split(separator: ".").first ?? ""
            try generatorOutputs.add(
                fileName: "\(Self.codecFolder)/\(name).wire.swift",
                contents: try Self.code(of: file, mapping, without: decisive))
        }
    }

    private static func heading(of source: String, imports: [String] = []) -> CodePrinter {
        var code = CodePrinter(indent: "    ".unicodeScalars, addNewlines: true)
        code.print("// Made by protoc-gen-fleetwire from \(source): `make proto` makes it again.")
        code.print("// swift-format-ignore-file")
        if !imports.isEmpty { code.print("") }
        for line in imports { code.print(line) }
        return code
    }

    private static func mapping(in folder: String) throws -> Mapping {
        var parser = MappingParser()
        for (path, text) in try files(of: folder, "mapping") { try parser.read(text, of: path) }
        return parser.mapping
    }

    /// Adds the records of each module, which `MODULE.records` declares.
    private static func addRecords(of folder: String, to outputs: any GeneratorOutputs) throws {
        for (path, text) in try files(of: folder, "records") {
            let module = try RecordModule(text, of: path)
            let name = path.split(separator: "/").last?.split(separator: ".").first ?? ""
            var code = heading(of: "proto/mapping/\(name).records", imports: module.imports)
            for record in module.records { RecordCode(record: record).append(to: &code) }
            try outputs.add(fileName: "\(name)/Generated/records.wire.swift", contents: code.content)
        }
    }

    private static func files(of folder: String, _ suffix: String) throws -> [(path: String, text: String)] {
        try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
            .filter { $0.hasSuffix(".\(suffix)") }.map { "\(folder)/\($0)" }
            .map { ($0, try String(contentsOfFile: $0, encoding: .utf8)) }
    }

    private static func code(
        of file: FileDescriptor, _ mapping: Mapping, without decisive: Set<String>
    ) throws -> String {
        var code = heading(of: file.name)
        for descriptor in file.enums where !decisive.contains(descriptor.name) {
            guard let known = mapping.enums[descriptor.name] else {
                throw MappingError("enum \(descriptor.name) has no mapping")
            }
            EnumCode(descriptor, mapping, known).append(to: &code)
        }
        for descriptor in file.messages {
            let message = try Message(descriptor, mapping)
            try MessageCode(message: message).append(to: &code)
            for oneof in message.oneofs where !oneof.mapping.isShared {
                try OneofCode(message: message, oneof: oneof).append(to: &code)
            }
        }
        return code.content
    }
}
