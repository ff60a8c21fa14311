public import DeviceCore
import FleetProtocol
import FoundationEssentials
public import UserText

/// A file with pods, with which a fleet begins: an answer of Sensibo's API to `users/me/pods?fields=*`, or
/// the diagnostics of Home Assistant's integration.
public struct PodFile: Sendable {
    public static let podsAtMost = 1_000
    static let bytesAtMost = 16 << 20

    public let records: [PodRecord]
    public let population: Scenario.Population
    public let bytes: [UInt8]
    /// The absolute path of the file.
    public let path: String

    /// Reads a file; a relative path starts at the working directory.
    public init(_ text: String) throws(InvalidFile) {
        path = text.hasPrefix("/") ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
        bytes = try FileContents.bytes(
            of: path, called: text, upTo: Self.bytesAtMost, "name a file with an answer to users/me/pods")
        (records, population) = try Self.parse(bytes, file: text)
    }

    static func parse(
        _ bytes: [UInt8], file: String
    ) throws(InvalidFile) -> (records: [PodRecord], population: Scenario.Population) {
        var reader = PodReader()
        do throws(JSONTree.Invalid) {
            let records =
                bytes.count > bytesAtMost ? [] : reader.records(try JSONTree(parsing: bytes))
            if reader.findings.isEmpty, let population = Scenario.Population(pods: records.map(\.pod)) {
                return (records, population)
            }
            if bytes.count > bytesAtMost {
                reader.findings.add(.file, found: "more than 16 MiB", allowed: "16 MiB at most")
            } else if reader.findings.isEmpty {
                reader.findings.add(
                    .file, found: "too many groups of model, location, firmware and remote",
                    allowed: "at most \(Limits.nodeGroups); divide the pods among two files")
            }
        } catch {
            reader.findings.add(
                Place(line: error.line, column: nil, path: ""), found: "no JSON",
                allowed: "JSON, as Sensibo's API answers")
        }
        throw reader.findings.error(in: file)
    }

    /// The seed of the IDs within the fleet, which differ from those of another file.
    public var seed: UInt64 {
        let names = records.flatMap { Array("\($0.id ?? $0.pod.name)\n".utf8) }
        return names.reduce(0) { SeededGenerator.mixed($0 ^ UInt64($1)) } >> 32
    }
}

extension Scenario.Population {
    /// The population of a scenario, or of a file with pods, whose name ends in `.json`.
    public static func chosen(_ text: String) throws -> Scenario.Population {
        text.hasSuffix(".json") ? try PodFile(text).population : try ScenarioChoice(text).scenario.population
    }
}
