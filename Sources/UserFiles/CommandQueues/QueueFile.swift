public import FleetProtocol

/// A command queue as it is written in a file. Devices are named as on a command line; a client that knows
/// the account's devices converts it to a plan.
public struct QueueFile: Hashable, Sendable {
    public struct Command: Hashable, Sendable {
        /// The command's ID; by default its position, from 1.
        public let label: String
        /// The device, by ID, name or part of a name.
        public let device: String
        public let kind: FleetProtocol.Command.Kind
        /// How long the command takes in the device; 0 s by default.
        public let takes: Duration
        /// The line of the file at which the command begins, from 1; nil if unknown.
        public let line: Int?
    }

    public let file: String
    /// What happens when a command fails; by default the command queue stops.
    public let onFailure: QueuePlan.OnFailure
    /// The commands: 1 to ``Limits/queueCommands``, each with a unique ID.
    public let commands: [Command]

    init(file: String, onFailure: QueuePlan.OnFailure, commands: [Command]) {
        (self.file, self.onFailure, self.commands) = (file, onFailure, commands)
    }

    package static let content = QueueFileReader.queueSectionsInWords

    /// Reads the command queue from a file's entries, whose errors name the file.
    package init(_ root: Entry, file: String) throws(InvalidFile) {
        var reader = QueueFileReader()
        let queue = reader.queue(root, file: file)
        guard reader.findings.isEmpty, let queue else { throw reader.findings.error(in: file) }
        self = queue
    }
}

struct QueueFileReader: EntryReader {
    var findings = Findings()

    private static let queueSections = ["on-failure", "device", "commands"]
    private static let commandKeys = ["id", "device", "takes", "do", "set"]

    static let queueSectionsInWords = "a mapping of " + queueSections.joined(separator: ", ")

    /// Reads the command queue of a whole file; nil if there were problems, which are reported.
    mutating func queue(_ root: Entry, file: String) -> QueueFile? {
        guard let fields = fields(of: root, Self.queueSections) else { return nil }
        let onFailure = word(fields["on-failure"], QueuePlan.OnFailure.allCases.map { ($0.name, $0) })
        let usualDevice = device(fields["device"])
        guard let listed = fields["commands"] else {
            findings.add(
                root.place, found: "no commands",
                allowed: "commands: a list of 1 to \(Limits.queueCommands) of them")
            return nil
        }
        let entries = list(listed, upTo: Limits.queueCommands, "commands {id, device, takes, do or set}")
        var (commands, labels) = ([QueueFile.Command](), Set<String>())
        for (index, entry) in (entries ?? []).enumerated() {
            let command = command(entry, place: index + 1, usualDevice)
            guard let command else { continue }
            guard labels.insert(command.label).inserted else {
                findings.add(
                    entry.place, found: "the id \(Entry.repeated(command.label)) again",
                    allowed: "a unique id for each command")
                continue
            }
            commands.append(command)
        }
        guard findings.isEmpty else { return nil }
        return QueueFile(file: file, onFailure: onFailure ?? .stop, commands: commands)
    }

    private mutating func command(_ entry: Entry, place: Int, _ usualDevice: String?) -> QueueFile.Command? {
        guard let fields = fields(of: entry, Self.commandKeys) else { return nil }
        let label = fields["id"] == nil ? "\(place)" : label(fields["id"])
        let takes =
            fields["takes"] == nil ? .zero : duration(fields["takes"], in: .zero...Limits.longestTaking)
        let kind = kind(entry, fields)
        let device = fields["device"] == nil ? usualDevice : device(fields["device"])
        if device == nil, fields["device"] == nil {
            findings.add(
                entry.place, found: "no device",
                allowed: "device: an ID, a name or a part of one, here or before commands for all")
        }
        guard let label, let takes, let kind, let device else { return nil }
        return QueueFile.Command(
            label: label, device: device, kind: kind, takes: .milliseconds(takes.wholeMilliseconds),
            line: entry.place.line)
    }

    private mutating func kind(_ entry: Entry, _ fields: [String: Entry]) -> Command.Kind? {
        guard (fields["do"] == nil) != (fields["set"] == nil) else {
            findings.add(
                entry.place, found: fields["do"] == nil ? "neither do nor set" : "both do and set",
                allowed: "one of do: toggle and set: {power: on, …}")
            return nil
        }
        guard let wanted = fields["set"] else { return word(fields["do"], [("toggle", Command.Kind.toggle)]) }
        guard let change = change(wanted), !change.isEmpty else { return nil }
        return .set(change)
    }

    private mutating func label(_ entry: Entry?) -> String? {
        let limit = Limits.queueLabelBytes
        return printable(entry, "1 to \(limit) bytes of printable characters") { text in
            text.utf8.count <= limit ? text : nil
        }
    }

    private mutating func device(_ entry: Entry?) -> String? {
        scalar(entry, "a device by ID, name or part of a name") { text, _ in
            text.isEmpty || text.utf8.count > Limits.nameBytes ? nil : text
        }
    }
}

extension EntryReader {
    /// Reads a change of state; nil or an empty one if there were problems, which are reported.
    mutating func change(_ entry: Entry) -> ACStateChange? {
        let keys = ["power", "mode", "temperature", "unit", "fan", "swing", "horizontal-swing", "light"]
        if case .mapping(let pairs) = entry.content, pairs.isEmpty {
            refuse(entry, "a mapping of " + keys.joined(separator: ", "))
            return nil
        }
        guard let fields = fields(of: entry, keys) else { return nil }
        let degrees = whole(fields["temperature"], in: Int(Int8.min)...Int(Int8.max), "degrees")
        return ACStateChange(
            isOn: word(fields["power"], [("on", true), ("off", false)]),
            mode: setting(fields["mode"]), targetTemperature: degrees.map { Int8($0) },
            temperatureUnit: setting(fields["unit"]), fanLevel: setting(fields["fan"]),
            swing: setting(fields["swing"]), horizontalSwing: setting(fields["horizontal-swing"]),
            light: setting(fields["light"]))
    }

    private mutating func setting<Setting: ACSetting>(_ entry: Entry?) -> Setting? {
        word(entry, Setting.allCases.map { ($0.name, $0) })
    }
}
