public import FileFraming
import FleetTime

extension SequenceCommand: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(label)
        writer.put(device)
        writer.put(kind)
        writer.put(takes.wholeMilliseconds)
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        self.init(
            label: try reader.takeText("label"), device: try reader.take(DeviceID.self),
            kind: try reader.take(Command.Kind.self), takes: .milliseconds(try reader.take(Int64.self)))
    }
}

extension SequencePlan: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: onFailure.rawValue)
        writer.put(UInt32(commands.count))
        for command in commands { writer.put(command) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard let onFailure = OnFailure(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "policy")
        }
        let count = try reader.take(UInt32.self)
        guard count <= Limits.sequenceCommands else { throw .malformed(field: "number of commands") }
        var commands: [SequenceCommand] = []
        for _ in 0..<count { commands.append(try reader.take(SequenceCommand.self)) }
        do throws(SequencePlanError) {
            try self.init(commands: commands, onFailure: onFailure)
        } catch {
            throw .malformed(field: "plan")
        }
    }
}

extension SequenceProgress: Recordable {
    public func write(to writer: inout RecordWriter) {
        switch self {
        case .waiting: writer.put(byte: 1)
        case .running(let requestID):
            writer.put(byte: 2)
            writer.put(requestID)
        case .ended(let requestID, let end):
            writer.put(byte: 3)
            writer.put(requestID)
            writer.put(byte: end.kind.rawValue)
            writer.put(end.explanation)
            writer.put(end.endedAt)
        case .leftOut: writer.put(byte: 4)
        }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        switch try reader.takeByte() {
        case 1: self = .waiting
        case 2: self = .running(try reader.take(RequestID.self))
        case 3:
            let requestID = try reader.take(RequestID.self)
            guard let kind = SequenceEnd.Kind(rawValue: try reader.takeByte()) else {
                throw .malformed(field: "end")
            }
            let explanation = try reader.takeText("explanation")
            self = .ended(
                requestID, SequenceEnd(kind, explanation, at: try reader.take(WallTime.self)))
        case 4: self = .leftOut
        default: throw .malformed(field: "progress")
        }
    }
}

/// The form of a sequence on disk, number 1.
extension SequenceReport: Recordable {
    public func write(to writer: inout RecordWriter) {
        writer.put(byte: 1)
        writer.put(id)
        writer.put(plan)
        writer.put(author)
        writer.put(startedAt)
        writer.put(byte: state.rawValue)
        writer.put(endedAt)
        for part in progress { writer.put(part) }
    }

    public init(from reader: inout RecordReader) throws(RecordError) {
        guard try reader.takeByte() == 1 else { throw .malformed(field: "form") }
        let id = try reader.take(RequestID.self)
        let plan = try reader.take(SequencePlan.self)
        let author = try reader.take(Email.self)
        let startedAt = try reader.take(WallTime.self)
        guard let state = SequenceState(rawValue: try reader.takeByte()) else {
            throw .malformed(field: "state")
        }
        let endedAt = try reader.takeOptional(WallTime.self, "end")
        var progress: [SequenceProgress] = []
        for _ in plan.commands { progress.append(try reader.take(SequenceProgress.self)) }
        self.init(
            id: id, plan: plan, author: author, startedAt: startedAt, state: state, endedAt: endedAt,
            progress: progress)
    }
}
