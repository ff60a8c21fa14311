public import DeviceCore
public import FleetProtocol
import FoundationEssentials
import Glibc
import Wording

/// A scenario in a file.
enum ScenarioFile {
    /// The scenario of a file; of one that is too large, no more is read than shows that.
    ///
    /// - Parameter name: What errors call the file.
    /// - Throws: ``ScenarioFileError`` when it cannot be read, or all that is wrong in it.
    static func read(_ path: String, called name: String) throws(ScenarioFileError) -> Scenario {
        let allowed = "a readable file, or one of " + ReadyMadeScenario.names
        let bytes = try bytes(of: path, called: name, allowed)
        return try ScenarioText.parse(bytes, file: name, name: stem(of: path))
    }

    /// The bytes of a file; of one that is too large, one more than is allowed.
    ///
    /// - Parameters:
    ///   - name: What errors call the file.
    ///   - allowed: What may stand in its place, in words.
    static func bytes(
        of path: String, called name: String, _ allowed: String
    ) throws(ScenarioFileError) -> [UInt8] {
        switch contents(of: path, upTo: ScenarioLimits.fileBytes + 1) {
        case .success(let read): return read
        case .failure(let unreadable):
            var findings = Findings()
            findings.add(.file, found: unreadable.reason, allowed: allowed)
            throw findings.error(in: name)
        }
    }

    /// Why a file cannot be read.
    private struct Unreadable: Error {
        let reason: String

        /// What the system said last.
        static var last: Unreadable {
            let number = errno
            return Unreadable(reason: strerror(number).map { String(cString: $0) } ?? "error \(number)")
        }
    }

    private static func contents(of path: String, upTo limit: Int) -> Result<[UInt8], Unreadable> {
        // A pipe without a writer is opened at once, so that it can be refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(.last) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .failure(Unreadable(reason: "what is no regular file"))
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &block, min(block.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(.last) }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        return .success(bytes)
    }

    /// The file's name without its directory and its ending, fit to be a scenario's.
    private static func stem(of path: String) -> String {
        let file = path.split(separator: "/").last ?? "scenario"
        let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
        let safe = SafeText.of(String(stem.prefix(ScenarioLimits.nameCharacters)))
        return safe.isEmpty ? "scenario" : safe
    }
}

/// A scenario file that cannot be used, with all that is wrong in it.
public struct ScenarioFileError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The file, as it was named.
    public let file: String
    /// What is wrong, in the order of the lines: at least one place, at most ``ScenarioLimits/problems``.
    public let problems: [ScenarioProblem]
    /// How many more places are wrong.
    public let untold: Int

    /// A line for each place: `office.yaml:12:9: people.hand-remotes-per-hour: found …; allowed: …`; of
    /// several, how many there are on a line before.
    public var description: String {
        let name = SafeText.of(file)
        let lines = problems.map { problem in
            problem.line == nil ? "\(name): \(problem)" : "\(name):\(problem)"
        }
        guard lines.count > 1 else { return lines[0] }
        let told = untold > 0 ? ", the first \(lines.count) of them" : ""
        return (["\(lines.count + untold) places are wrong\(told):"] + lines).joined(separator: "\n")
    }
}

/// Scenarios as people write them: YAML, as docs/SCENARIOS.md has it.
public enum ScenarioText {
    /// The scenario of a text.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - file: Where it comes from, for the words of errors.
    ///   - name: What it is called when it does not say so.
    /// - Throws: ``ScenarioFileError`` with all that is wrong; a text that is no YAML has one wrong place.
    public static func parse(
        _ bytes: [UInt8], file: String, name: String
    ) throws(ScenarioFileError) -> Scenario {
        let root = try root(of: bytes, file: file, EntryTree())
        var reader = ScenarioReader()
        let scenario = reader.scenario(root, name: name)
        guard reader.findings.isEmpty else { throw reader.findings.error(in: file) }
        return scenario
    }

    /// The values of a text, not understood yet.
    static func root(
        of bytes: [UInt8], file: String, _ empty: EntryTree
    ) throws(ScenarioFileError) -> Entry {
        var findings = Findings()
        guard bytes.count <= ScenarioLimits.fileBytes else {
            findings.add(
                .file, found: "more than \(ScenarioLimits.fileBytes / 1_024) KiB",
                allowed: "at most \(ScenarioLimits.fileBytes / 1_024) KiB")
            throw findings.error(in: file)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            findings.add(.file, found: "bytes that are no UTF-8", allowed: "text in UTF-8")
            throw findings.error(in: file)
        }
        var tree = empty
        guard let root = tree.root(of: text) else { throw tree.findings.error(in: file) }
        return root
    }
}

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

/// Scenarios that come with the programs: the files in `scenarios/`, which are inside the executables.
public enum ReadyMadeScenario: String, CaseIterable, Hashable, Sendable {
    /// Nothing happens by itself.
    case quiet
    /// Hand remotes and Wi-Fi drops now and then.
    case lively
    /// A home on an ordinary day.
    case calm
    /// Offices that fill in the morning and empty in the evening, a day in two and a half minutes.
    case officeDay = "office-day"
    /// Wi-Fi that comes and goes, worst in the evening.
    case flakyWiFi = "flaky-wifi"
    /// Infrared that often misses, and remotes with one code for on and off.
    case lossyInfrared = "lossy-infrared"
    /// Nearly all devices go and come back together.
    case thunderingHerd = "thundering-herd"
    /// A cloud that is late, fails and forgets, in turns over the day.
    case cloudy
    /// Devices of every model, and air conditioners of every kind.
    case mixed
    /// All of it at once.
    case worstDay = "worst-day"

    /// The names of all of them, in words.
    public static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// What stands in its file.
    public var text: [UInt8] {
        switch self {
        case .quiet: PackageResources.quiet_yaml
        case .lively: PackageResources.lively_yaml
        case .calm: PackageResources.calm_yaml
        case .officeDay: PackageResources.office_day_yaml
        case .flakyWiFi: PackageResources.flaky_wifi_yaml
        case .lossyInfrared: PackageResources.lossy_infrared_yaml
        case .thunderingHerd: PackageResources.thundering_herd_yaml
        case .cloudy: PackageResources.cloudy_yaml
        case .mixed: PackageResources.mixed_yaml
        case .worstDay: PackageResources.worst_day_yaml
        }
    }

    /// What it is.
    ///
    /// - Throws: ``ScenarioFileError`` when its file is wrong, which a test would have found.
    public func scenario() throws(ScenarioFileError) -> Scenario {
        try ScenarioText.parse(text, file: "\(rawValue).yaml", name: rawValue)
    }
}
