public import FleetProtocol
import Stepping

extension SequenceEnd {
    /// How a command ended, in words: `applied`, or `rejected (value outside …)`; parts are strangers'.
    public var words: String { explanation.isEmpty ? kind.name : "\(kind.name) (\(explanation))" }
}

extension SequenceProgress {
    /// How a command stands, in a word: `waiting`, `running`, how it ended, or `leftOut`.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .running: "running"
        case .ended(_, let end): end.kind.name
        case .leftOut: "leftOut"
        }
    }
}

extension SequenceReport {
    /// How many commands were left out.
    public var leftOutCount: Int { progress.count { $0 == .leftOut } }

    /// How it stands, in words: `running: 3 of 10 commands have ended`.
    public var standing: String {
        var words = "\(state.name): \(endedCount) of \(Count.of(plan.commands.count, "command")) "
        words += endedCount == 1 ? "has ended" : "have ended"
        if failedCount > 0 { words += ", \(failedCount) failed" }
        if leftOutCount > 0 { words += ", \(leftOutCount) left out" }
        return words
    }

    /// A command for scripts and pages; its id is a stranger's text.
    ///
    /// - Parameter place: Which one, from 0.
    public func json(ofCommandAt place: Int) -> JSONValue {
        let command = plan.commands[place]
        var (request, end) = (RequestID?.none, SequenceEnd?.none)
        switch progress[place] {
        case .waiting, .leftOut: break
        case .running(let id): request = id
        case .ended(let id, let how): (request, end) = (id, how)
        }
        return [
            "id": .string(command.label), "device": .string(command.device.description),
            "takesMs": .integer(command.takes.wholeMilliseconds),
            "do": .string(command.kind == .toggle ? "toggle" : "set"),
            "state": .string(progress[place].name),
            "requestId": .text(request), "startedAt": .text(request.map { TimeText.iso8601($0.time) }),
            "endedAt": .text(end.map { TimeText.iso8601($0.endedAt) }),
            "isFailure": .bool(end.map { !$0.kind.isSuccess } ?? false),
            "explanation": end.map { $0.explanation.isEmpty ? .null : .string($0.explanation) } ?? .null,
        ]
    }

    /// The sequence for scripts and pages, with its commands.
    public var json: JSONValue {
        guard case .object(let members) = summary.json else { return .null }
        let commands = plan.commands.indices.map { json(ofCommandAt: $0) }
        return .object(
            members + [
                JSONValue.Member("onFailure", .string(plan.onFailure.name)),
                JSONValue.Member("list", .array(commands)),
            ])
    }
}

extension SequenceSummary {
    /// The sequence for scripts and pages, without its commands.
    public var json: JSONValue {
        [
            "id": .string(id.description), "state": .string(state.name), "isFinal": .bool(state.isFinal),
            "author": .string(author.address), "startedAt": .string(TimeText.iso8601(startedAt)),
            "endedAt": .text(endedAt.map { TimeText.iso8601($0) }), "commands": .unsigned(UInt64(commands)),
            "ended": .unsigned(UInt64(ended)), "failed": .unsigned(UInt64(failed)),
        ]
    }
}
