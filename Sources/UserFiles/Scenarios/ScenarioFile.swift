public import DeviceCore
public import FleetProtocol
import FoundationEssentials
import UserText

enum ScenarioFile {
    static func read(
        _ path: String, called name: String, zones: ZoneDatabase?
    ) throws(InvalidFile) -> Scenario {
        let advice = "name a readable file, or one of " + ReadyMadeScenario.names
        let bytes = try FileContents.bytes(of: path, called: name, advice)
        return try ScenarioText.parse(bytes, file: name, name: stem(of: path), zones: zones)
    }

    /// Returns the file's name without directory and extension, as a valid scenario name.
    private static func stem(of path: String) -> String {
        let file = path.split(separator: "/").last ?? "scenario"
        let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
        let safe = SafeText.of(String(stem.prefix(ScenarioLimits.nameCharacters)))
        return safe.isEmpty ? "scenario" : safe
    }
}

/// Scenarios as YAML text, in the format of docs/reference/scenarios.md.
public enum ScenarioText {
    /// Parses the scenario of a text, whose errors name the file; the text may have another name. A text that
    /// is not valid YAML has a single problem.
    ///
    /// - Parameter zones: The time zones that it may name; nil if it is for any machine.
    package static func parse(
        _ bytes: [UInt8], file: String, name: String, zones: ZoneDatabase? = nil
    ) throws(InvalidFile) -> Scenario {
        let root = try EntryTree.root(
            of: bytes, file: file, kind: "a scenario", content: ScenarioReader.sectionsDescription)
        var reader = ScenarioReader(zones: zones)
        let scenario = reader.scenario(root, name: name)
        guard reader.findings.isEmpty else { throw reader.findings.error(in: file) }
        return scenario
    }
}

/// A scenario chosen on a command line, by its name or its file.
public struct ScenarioChoice: Hashable, Sendable {
    struct UnknownName: Error, Hashable, Sendable, CustomStringConvertible {
        let name: String

        /// The valid names, and the nearest of them.
        var description: String {
            let names = ReadyMadeScenario.allCases.map(\.rawValue)
            let hint = NearestWord.hint(for: name, among: names)
            return
                "no scenario \(Entry.repeated(name))\(hint); scenarios: \(ReadyMadeScenario.names); "
                + "or name a file: a path with a / or the ending .yaml"
        }
    }

    public let scenario: Scenario
    /// The argument that chooses the same scenario in another process with any working directory: the name,
    /// or the file's absolute path.
    public let argument: String

    public var name: String { scenario.name }
    public var cloudDay: CloudDay { scenario.cloudDay }
    public var hasCrashes: Bool { scenario.hasCrashes }

    /// The choice of an argument; a relative path starts at the working directory.
    ///
    /// - Parameter zones: The time zones that a file may name; nil for those of any machine.
    package init(_ text: String, zones: ZoneDatabase? = nil) throws {
        let directory = FileManager.default.currentDirectoryPath
        // Empty if the directory was removed: then no file is found.
        try self.init(text, relativeTo: directory.isEmpty ? "." : directory, zones: zones)
    }

    /// The choice of an argument: a file if it contains a `/` or ends in `.yaml` or `.yml`, else a name. The
    /// directory is the absolute base of relative paths.
    package init(_ text: String, relativeTo directory: String, zones: ZoneDatabase? = nil) throws {
        if text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml") {
            let path = text.hasPrefix("/") ? text : "\(directory)/\(text)"
            self.init(scenario: try ScenarioFile.read(path, called: text, zones: zones), argument: path)
        } else if let readyMade = ReadyMadeScenario(rawValue: text) {
            self.init(scenario: try readyMade.scenario(), argument: text)
        } else {
            throw UnknownName(name: text)
        }
    }

    private init(scenario: Scenario, argument: String) {
        (self.scenario, self.argument) = (scenario, argument)
    }
}

/// The ready-made scenarios: the files in `scenarios/`, embedded in the executables.
public enum ReadyMadeScenario: String, CaseIterable, Hashable, Sendable {
    /// A fleet without events.
    case quiet
    /// Occasional hand remotes and Wi-Fi drops.
    case lively
    case calm
    /// Offices that fill in the morning and empty in the evening; a day takes two and a half minutes.
    case officeDay = "office-day"
    /// Frequent Wi-Fi drops, most of them in the evening.
    case flakyWiFi = "flaky-wifi"
    /// Frequent loss of infrared, and remotes with one code for on and off.
    case lossyInfrared = "lossy-infrared"
    /// Simultaneous disconnection and reconnection of nearly all devices.
    case thunderingHerd = "thundering-herd"
    /// A cloud that is late, fails and loses data, in turns over the day.
    case cloudy
    /// Devices of every model, and air conditioners of every kind.
    case mixed
    /// A home in use for a year; a test server begins after a day of it.
    case livedIn = "lived-in"
    /// All of these events at once.
    case worstDay = "worst-day"

    /// The names of all scenarios, separated by commas.
    public static let names = allCases.map(\.rawValue).joined(separator: ", ")

    public var text: [UInt8] {
        guard let text = EmbeddedText.files["Scenarios/Included/\(rawValue).yaml"] else {
            preconditionFailure("\(rawValue): the scenario has no file")
        }
        return text.withUTF8Buffer(Array.init)
    }

    /// Returns the scenario; the tests exclude that the embedded file is invalid.
    public func scenario() throws(InvalidFile) -> Scenario {
        try ScenarioText.parse(text, file: "\(rawValue).yaml", name: rawValue)
    }
}

extension ZoneDatabase: ZoneOffsets {}
