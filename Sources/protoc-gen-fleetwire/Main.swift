import Foundation
import SwiftProtobuf
import SwiftProtobufPluginLibrary

/// A plugin of protoc that makes the readers and writers of `FleetProtocol`.
///
/// Its parameter `Mapping` is the folder with the mapping's files.
@main
struct FleetWire: CodeGenerator {
    var supportedFeatures: [Google_Protobuf_Compiler_CodeGeneratorResponse.Feature] { [.proto3Optional] }

    func generate(
        files: [FileDescriptor], parameter: any CodeGeneratorParameter,
        protoCompilerContext: any ProtoCompilerContext, generatorOutputs: any GeneratorOutputs
    ) throws {
        guard let folder = parameter.parsedPairs.first(where: { $0.key == "Mapping" })?.value else {
            throw MappingError("no mapping: pass --fleetwire_opt=Mapping=FOLDER")
        }
        let mapping = try Self.mapping(in: folder)
        try mapping.check(against: files)
        let decisive = Set(
            files.flatMap(\.messages).flatMap { message in
                message.fields.filter { mapping.messages[message.name]?.alternatives[$0.name] != nil }
                    .compactMap { $0.enumType?.name }
            })
        var values = Self.heading(of: "proto/mapping")
        for value in mapping.values { ValueCode(mapping: value).append(to: &values) }
        try generatorOutputs.add(fileName: "values.wire.swift", contents: values.content)
        for file in files {
            let name = file.name.split(separator: "/").last?.split(separator: ".").first ?? ""
            try generatorOutputs.add(
                fileName: "\(name).wire.swift", contents: try Self.code(of: file, mapping, without: decisive))
        }
    }

    private static func heading(of source: String) -> CodePrinter {
        var code = CodePrinter(indent: "    ".unicodeScalars, addNewlines: true)
        code.print("// Made by protoc-gen-fleetwire from \(source): `make proto` makes it again.")
        code.print("// swift-format-ignore-file")
        code.print("", "import FleetTime")
        return code
    }

    private static func mapping(in folder: String) throws -> Mapping {
        var parser = MappingParser()
        for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        where file.hasSuffix(".mapping") {
            let path = "\(folder)/\(file)"
            try parser.read(try String(contentsOfFile: path, encoding: .utf8), of: path)
        }
        return parser.mapping
    }

    private static func code(
        of file: FileDescriptor, _ mapping: Mapping, without decisive: Set<String>
    ) throws -> String {
        var code = heading(of: file.name)
        for descriptor in file.enums where !decisive.contains(descriptor.name) {
            guard let known = mapping.enums[descriptor.name] else {
                throw MappingError("enum \(descriptor.name) has no mapping")
            }
            EnumCode(descriptor, known)?.append(to: &code)
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
