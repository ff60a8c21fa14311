import Stepping

extension SequencePlan.OnFailure: WireEnum {}
extension SequenceState: WireEnum {}
extension SequenceEnd.Kind: WireEnum {}
extension SequenceSteering: WireEnum {}

extension SequenceCommand: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (label, device, takesMs, kind) = ("", DeviceID?.none, UInt32(0), Choice?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&label)
            case 2: try fields.read(&device)
            case 3: try fields.read(&takesMs)
            case 10, 11: try fields.read(&kind)
            default: break
            }
        }
        guard let device else { throw .malformedDevice("command.device") }
        guard let kind else { throw .missing("command.kind") }
        let what: Command.Kind =
            if kind.number == 10 { .toggle } else { .set(try ACStateChange(wire: kind.message)) }
        self.init(
            label: label, device: device, kind: what, takes: .milliseconds(Int64(takesMs)))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, label)
        fields.put(2, device)
        fields.put(3, UInt32(clamping: takes.wholeMilliseconds))
        switch kind {
        case .toggle: fields.put(10) { _ in }
        case .set(let change): fields.put(11, change)
        case .correct, .configure: preconditionFailure("no sequence has a command of that kind")
        }
    }
}

extension SequencePlan: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (commands, onFailure) = ([SequenceCommand](), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&commands)
            case 2: try fields.read(&onFailure)
            default: break
            }
        }
        let policy = try OnFailure(wire: onFailure, field: "plan.on_failure", expected: "stop or go on")
        do throws(SequencePlanError) {
            try self.init(commands: commands, onFailure: policy)
        } catch {
            throw .malformed("plan", error.description)
        }
    }

    /// The plan that must be there.
    init(wireIn message: FieldReader?) throws(WireError) {
        guard let message else { throw .missing("plan") }
        try self.init(wire: message)
    }

    func write(to fields: inout FieldWriter) {
        for command in commands { fields.put(1, command) }
        fields.put(2, onFailure.wire)
    }
}

extension SequenceProgress: WireFields {
    private enum Number {
        static let waiting: UInt32 = 1
        static let running: UInt32 = 2
        static let ended: UInt32 = 3
        static let leftOut: UInt32 = 4
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (number, requestID) = (UInt32(0), FieldReader?.none)
        var (end, explanation, endedAt) = (UInt32(0), "", Int64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&number)
            case 2: try fields.read(&requestID)
            case 3: try fields.read(&end)
            case 4: try fields.read(&explanation)
            case 5: try fields.read(&endedAt)
            default: break
            }
        }
        switch number {
        case Number.waiting: self = .waiting
        case Number.running: self = .running(try RequestID(wire: requestID, field: "progress.request_id"))
        case Number.ended:
            let kind = try SequenceEnd.Kind(wire: end, field: "progress.end", expected: "an end")
            let why = try explanation.checked(
                bytes: Limits.sequenceExplanationBytes, field: "progress.explanation")
            self = .ended(
                try RequestID(wire: requestID, field: "progress.request_id"),
                SequenceEnd(kind, why, at: WallTime(wireMilliseconds: endedAt)))
        case Number.leftOut: self = .leftOut
        default: throw .malformed("progress.kind", "waiting, running, ended or left out")
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .waiting: fields.put(1, Number.waiting)
        case .running(let requestID):
            fields.put(1, Number.running)
            fields.put(2, requestID)
        case .ended(let requestID, let end):
            fields.put(1, Number.ended)
            fields.put(2, requestID)
            fields.put(3, end.kind.wire)
            fields.put(4, end.explanation)
            fields.put(5, end.endedAt.unixMilliseconds)
        case .leftOut: fields.put(1, Number.leftOut)
        }
    }
}

extension SequenceReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (id, plan, author) = (FieldReader?.none, FieldReader?.none, "")
        var (startedAt, state, endedAt) = (Int64(0), UInt32(0), Int64?.none)
        var progress: [SequenceProgress] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            case 3: try fields.read(&author)
            case 4: try fields.read(&startedAt)
            case 5: try fields.read(&state)
            case 6: try fields.read(&endedAt)
            case 7: try fields.read(&progress)
            default: break
            }
        }
        let known = try SequencePlan(wireIn: plan)
        guard progress.count == known.commands.count else {
            throw .malformed("progress", "as many as there are commands")
        }
        self.init(
            id: try RequestID(wire: id, field: "sequence.id"), plan: known,
            author: try Email(wire: author, field: "sequence.author"),
            startedAt: WallTime(wireMilliseconds: startedAt), state: try SequenceState(wireState: state),
            endedAt: endedAt.map { WallTime(wireMilliseconds: $0) }, progress: progress)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, plan)
        fields.put(3, author.address)
        fields.put(4, startedAt.unixMilliseconds)
        fields.put(5, state.wire)
        fields.put(6, optional: endedAt?.unixMilliseconds)
        for part in progress { fields.put(7, part) }
    }
}

extension SequenceState {
    fileprivate init(wireState number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "sequence.state", expected: "a state")
    }
}

extension SequenceSummary: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (id, author, startedAt) = (FieldReader?.none, "", Int64(0))
        var (state, endedAt) = (UInt32(0), Int64?.none)
        var (commands, ended, failed) = (UInt32(0), UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&author)
            case 3: try fields.read(&startedAt)
            case 4: try fields.read(&state)
            case 5: try fields.read(&endedAt)
            case 6: try fields.read(&commands)
            case 7: try fields.read(&ended)
            case 8: try fields.read(&failed)
            default: break
            }
        }
        self.init(
            id: try RequestID(wire: id, field: "sequence.id"),
            author: try Email(wire: author, field: "sequence.author"),
            startedAt: WallTime(wireMilliseconds: startedAt), state: try SequenceState(wireState: state),
            endedAt: endedAt.map { WallTime(wireMilliseconds: $0) }, commands: commands, ended: ended,
            failed: failed)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, author.address)
        fields.put(3, startedAt.unixMilliseconds)
        fields.put(4, state.wire)
        fields.put(5, optional: endedAt?.unixMilliseconds)
        fields.put(6, commands)
        fields.put(7, ended)
        fields.put(8, failed)
    }
}

extension SequenceList: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (sequences, isLast) = ([SequenceSummary](), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&sequences)
            case 2: try fields.read(&isLast)
            default: break
            }
        }
        self.init(sequences: sequences, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        for sequence in sequences { fields.put(1, sequence) }
        fields.put(2, isLast)
    }
}
