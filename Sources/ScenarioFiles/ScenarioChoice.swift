public import DeviceCore
public import FleetProtocol
import FoundationEssentials

/// A scenario that somebody chose on a command line: by its name, or by its file.
public struct ScenarioChoice: Hashable, Sendable {
    /// There is no scenario of that name.
    public struct UnknownName: Error, Hashable, Sendable, CustomStringConvertible {
        /// The name.
        public let name: String

        /// Which names there are.
        public var description: String {
            let words = ReadyMadeScenario.allCases.map(\.rawValue)
            let hint = NearestWord.to(name, among: words).map { "; did you mean \($0)?" } ?? ""
            return
                "there is no scenario \(Entry.repeated(name))\(hint); there are \(ReadyMadeScenario.names), "
                + "or name a file: a path with a / or the ending .yaml"
        }
    }

    /// What was chosen.
    public let scenario: Scenario
    /// What chooses the same on the command line of another process, in whatever directory: the name, or the
    /// file's absolute path.
    public let argument: String

    /// What the scenario is called.
    public var name: String { scenario.name }

    /// What it has the cloud go through.
    public var cloudDay: CloudDay { scenario.cloudDay }

    /// Whether it has nodes die by themselves.
    public var hasCrashes: Bool { scenario.hasCrashes }

    /// What an argument chooses; a relative path starts at the working directory.
    ///
    /// - Throws: ``UnknownName``, or ``ScenarioFileError`` with all that is wrong in the file.
    public init(_ text: String) throws {
        try self.init(text, relativeTo: FileManager.default.currentDirectoryPath)
    }

    /// What an argument chooses: a file when there is a `/` in it or it ends in `.yaml` or `.yml`, else a
    /// name.
    ///
    /// - Parameter directory: Where relative paths start; absolute.
    /// - Throws: ``UnknownName``, or ``ScenarioFileError`` with all that is wrong in the file.
    public init(_ text: String, relativeTo directory: String) throws {
        if text.contains("/") || text.hasSuffix(".yaml") || text.hasSuffix(".yml") {
            let path = text.hasPrefix("/") ? text : "\(directory)/\(text)"
            self.init(scenario: try ScenarioFile.read(path, called: text), argument: path)
        } else if let readyMade = ReadyMadeScenario(rawValue: text) {
            self.init(scenario: try readyMade.scenario(), argument: text)
        } else {
            throw UnknownName(name: text)
        }
    }

    private init(scenario: Scenario, argument: String) {
        self.scenario = scenario
        self.argument = argument
    }
}
