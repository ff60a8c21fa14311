/// The reason why a plan of a command queue is invalid.
public enum QueuePlanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is no command, or there are more than ``Limits/queueCommands``.
    case count
    /// The label of a command is not allowed; its position, from 1, and the reason.
    case label(place: Int, LogbookTextError)
    /// Two commands have the same label; the position of the second, from 1.
    case labelInUse(place: Int)
    /// A command takes longer than ``Limits/longestTaking``; its position, from 1.
    case takes(place: Int)
    /// A command is neither a toggle nor a change of at least one setting; its position, from 1.
    case kind(place: Int)

    /// The command, the problem, and what is allowed.
    public var description: String {
        switch self {
        case .count: "commands: 1 to \(Limits.queueCommands) are allowed"
        case .label(let place, let error): "command \(place): \(error)"
        case .labelInUse(let place): "command \(place): id: another command already has it; use unique ids"
        case .takes(let place):
            "command \(place): takes: 0 ms to \(Limits.longestTaking.wholeMilliseconds) ms are allowed"
        case .kind(let place): "command \(place): a toggle, or a change of at least one setting, is allowed"
        }
    }
}

/// The plan of a command queue: its commands, each of which starts when the previous one has ended.
public struct QueuePlan: Hashable, Sendable {
    /// The commands, in their order.
    public let commands: [QueueCommand]
    /// The behaviour when a command fails.
    public let onFailure: OnFailure

    /// A plan with the given values.
    ///
    /// - Throws: ``QueuePlanError``.
    public init(commands: [QueueCommand], onFailure: OnFailure) throws(QueuePlanError) {
        guard (1...Limits.queueCommands).contains(commands.count) else { throw .count }
        var labels: Set<String> = []
        for (index, command) in commands.enumerated() {
            do throws(LogbookTextError) {
                _ = try LogbookText.line(command.label, of: "id", bytes: Limits.queueLabelBytes)
            } catch {
                throw .label(place: index + 1, error)
            }
            guard labels.insert(command.label).inserted else { throw .labelInUse(place: index + 1) }
            guard command.takes >= .zero, command.takes <= Limits.longestTaking else {
                throw .takes(place: index + 1)
            }
            guard command.isAllowed else { throw .kind(place: index + 1) }
        }
        (self.commands, self.onFailure) = (commands, onFailure)
    }

    /// Returns a demo of ten toggles of a device, labelled 1 to 10, which take 1 to 10 seconds.
    public static func demo(on device: DeviceID) -> QueuePlan {
        let commands = (1...10).map {
            QueueCommand(label: "\($0)", device: device, kind: .toggle, takes: .seconds($0))
        }
        do throws(QueuePlanError) {
            return try QueuePlan(commands: commands, onFailure: .stop)
        } catch {
            preconditionFailure("ten commands that are allowed were refused: \(error)")
        }
    }

    /// The approximate size of its texts and numbers in bytes.
    public var bytes: Int { commands.reduce(128) { $0 + $1.label.utf8.count + 96 } }
}

extension QueueCommand {
    fileprivate var isAllowed: Bool {
        switch kind {
        case .toggle: true
        case .set(let change): !change.isEmpty
        case .correct, .configure: false
        }
    }
}

extension QueuePlan.OnFailure {
    /// The name in files and JSON.
    public var name: String { self == .stop ? "stop" : "go-on" }
}
