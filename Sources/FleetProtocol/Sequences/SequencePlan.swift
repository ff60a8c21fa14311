import FleetTime

/// Why something is no sequence.
public enum SequencePlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no command, or there are more than ``Limits/sequenceCommands``.
    case count
    /// What a command is called is not allowed; which command, from 1, and why.
    case label(place: Int, LogbookTextError)
    /// Two commands are called the same; the place of the second, from 1.
    case labelTaken(place: Int)
    /// A command takes longer than ``Limits/longestTaking``; its place, from 1.
    case takes(place: Int)
    /// A command is neither a toggle nor a change of at least one setting; its place, from 1.
    case kind(place: Int)

    /// What is wrong with which command, and what is allowed.
    public var description: String {
        switch self {
        case .count: "commands: 1 to \(Limits.sequenceCommands) are allowed"
        case .label(let place, let error): "command \(place): \(error)"
        case .labelTaken(let place): "command \(place): id: another command has it; give each its own"
        case .takes(let place):
            "command \(place): takes: 0 ms to \(Limits.longestTaking.wholeMilliseconds) ms are allowed"
        case .kind(let place): "command \(place): a toggle, or a change of at least one setting, is allowed"
        }
    }
}

/// One command of a sequence.
public struct SequenceCommand: Hashable, Sendable {
    /// What whoever wrote the sequence calls it, and no other command of it: one line of 1 to
    /// ``Limits/sequenceLabelBytes`` bytes of which something can be seen.
    public let label: String
    /// The device that carries it out.
    public let device: DeviceID
    /// What it does: a toggle, or an absolute change of at least one setting.
    public let kind: Command.Kind
    /// How long the device is busy with it before it does it, whole milliseconds from 0 to
    /// ``Limits/longestTaking``.
    public let takes: Duration

    /// The command of those parts.
    public init(label: String, device: DeviceID, kind: Command.Kind, takes: Duration) {
        self.label = label
        self.device = device
        self.kind = kind
        self.takes = takes
    }
}

/// What a sequence is to do: its commands one after another, each when the one before has ended.
public struct SequencePlan: Hashable, Sendable {
    /// What becomes of a sequence when a command of it fails.
    public enum OnFailure: UInt8, CaseIterable, Hashable, Sendable {
        /// It ends, and the commands behind are left out.
        case stop
        /// It goes on with the next command.
        case goOn

        /// Its word in files and JSON.
        public var name: String { self == .stop ? "stop" : "go-on" }

        /// What has that word.
        public init?(named name: String) {
            guard let known = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = known
        }
    }

    /// The commands, in their order.
    public let commands: [SequenceCommand]
    /// What becomes of it when one fails.
    public let onFailure: OnFailure

    /// The plan of those parts.
    ///
    /// - Throws: ``SequencePlanError``.
    public init(commands: [SequenceCommand], onFailure: OnFailure) throws(SequencePlanError) {
        guard (1...Limits.sequenceCommands).contains(commands.count) else { throw .count }
        var labels: Set<String> = []
        for (index, command) in commands.enumerated() {
            do throws(LogbookTextError) {
                _ = try LogbookText.line(command.label, of: "id", bytes: Limits.sequenceLabelBytes)
            } catch {
                throw .label(place: index + 1, error)
            }
            guard labels.insert(command.label).inserted else { throw .labelTaken(place: index + 1) }
            guard command.takes >= .zero, command.takes <= Limits.longestTaking else {
                throw .takes(place: index + 1)
            }
            guard command.isAllowed else { throw .kind(place: index + 1) }
        }
        self.commands = commands
        self.onFailure = onFailure
    }

    /// Ten toggles of a device, called 1 to 10, that take 1 to 10 seconds: what shows best how sequences go.
    public static func demo(on device: DeviceID) -> SequencePlan {
        let commands = (1...10).map {
            SequenceCommand(label: "\($0)", device: device, kind: .toggle, takes: .seconds($0))
        }
        do throws(SequencePlanError) {
            return try SequencePlan(commands: commands, onFailure: .stop)
        } catch {
            preconditionFailure("ten commands that are allowed were refused: \(error)")
        }
    }

    /// What its texts and numbers take, give or take a few bytes.
    public var bytes: Int { commands.reduce(128) { $0 + $1.label.utf8.count + 96 } }
}

extension SequenceCommand {
    fileprivate var isAllowed: Bool {
        switch kind {
        case .toggle: true
        case .set(let change): !change.isEmpty
        case .correct, .configure: false
        }
    }
}
