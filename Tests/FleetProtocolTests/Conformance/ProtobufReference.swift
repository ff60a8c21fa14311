import ConformanceSupport
import FleetProtocol
import Foundation
import Subprocess
import SystemPackage

/// Python's protobuf, which knows the files of `proto/` and nothing else of this project.
enum ProtobufReference {
    /// A message as protobuf reads it.
    struct Reading {
        /// The bytes that protobuf writes for it, without unknown fields.
        let bytes: [UInt8]
        /// Its text format.
        let lines: [String]
    }

    /// The program that reads messages has ended with an error.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns how protobuf reads each message, with its text, or nil where it refuses the bytes.
    static func read(_ messages: [(kind: String, bytes: [UInt8])]) async throws -> [Reading?] {
        try await answers(to: messages, ["--text"]).map(Reading.init)
    }

    /// Returns how protobuf reads the text of each message, or nil where it refuses the text.
    static func parse(_ texts: [(kind: String, lines: [String])]) async throws -> [Reading?] {
        try await answers(
            to: texts.map { ($0.kind, Array($0.lines.joined(separator: "\n").utf8)) }, ["--parse"]
        ).map(Reading.init)
    }

    /// Returns the bytes that protobuf writes for each message that it reads, without unknown fields, or nil
    /// where it refuses the bytes.
    static func rewrite(_ messages: [(kind: String, bytes: [UInt8])]) async throws -> [[UInt8]?] {
        try await answers(to: messages, []).map { [UInt8](hexadecimal: String($0)) }
    }

    /// The line that one process answers to each message.
    private static func answers(
        to messages: [(kind: String, bytes: [UInt8])], _ options: [String]
    ) async throws -> [Substring] {
        let program = VectorFile.repository.appending(
            path: "Tests/FleetProtocolTests/Conformance/protobuf-reference")
        let input = messages.map { "\($0.kind) \($0.bytes.hexadecimal)\n" }.joined()
        let result = try await run(
            .path(FilePath(program.path())), arguments: Arguments(options), input: .string(input),
            output: .string(limit: 1 << 26), error: .string(limit: 1 << 26))
        let answers = result.standardOutput.split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        guard result.terminationStatus.isSuccess, answers.count == messages.count else {
            throw Failure(
                description: "\(program.path()) answered \(answers.count) of \(messages.count) messages: "
                    + result.standardError.suffix(1_000))
        }
        return Array(answers)
    }
}

extension ProtobufReference.Reading {
    fileprivate init?(_ answer: Substring) {
        let parts = answer.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, let bytes = [UInt8](hexadecimal: String(parts[0])),
            let text = [UInt8](hexadecimal: String(parts[1]))
        else { return nil }
        self.init(
            bytes: bytes, lines: String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
        )
    }
}
