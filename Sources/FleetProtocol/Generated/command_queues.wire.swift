// Made by protoc-gen-fleetwire from sensibus/v1/command_queues.proto: `make proto` makes it again.
// swift-format-ignore-file

extension QueuePlan {
    /// The behaviour of a command queue when a command fails.
    public enum OnFailure: UInt8, CaseIterable, Hashable, Sendable {
        /// The commands after a failed one are skipped.
        case stop
        /// The command queue continues with the next command.
        case proceed
    }
}

extension QueuePlan.OnFailure {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .stop
        case 2: self = .proceed
        default: throw .malformed(field, "stop or go on")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .stop: 1
        case .proceed: 2
        }
    }
}

/// A change of the state of a command queue that has not ended; each may be repeated.
public enum QueueSteering: UInt8, CaseIterable, Hashable, Sendable {
    /// The running command ends, and the next one waits.
    case pause
    case resume
    /// The running command ends, and the rest are skipped.
    case stop
    /// The running command is cancelled, and the rest are skipped.
    case cancel
}

extension QueueSteering {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .pause
        case 2: self = .resume
        case 3: self = .stop
        case 4: self = .cancel
        default: throw .malformed(field, "pause, resume, stop or cancel")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .pause: 1
        case .resume: 2
        case .stop: 3
        case .cancel: 4
        }
    }
}

/// The state of a command queue.
public enum QueueState: UInt8, CaseIterable, Hashable, Sendable {
    case running
    /// The running command ends, and the next waits.
    case paused
    /// The running command ends, and later ones are skipped.
    case stopping
    /// The running command is being cancelled, and later ones are skipped.
    case cancelling
    /// All its commands succeeded.
    case done
    /// A command failed.
    case failed
    /// It was stopped, and commands were skipped.
    case stopped
    /// It was cancelled, and commands were cancelled or skipped.
    case cancelled
}

extension QueueState {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .running
        case 2: self = .paused
        case 3: self = .stopping
        case 4: self = .cancelling
        case 5: self = .done
        case 6: self = .failed
        case 7: self = .stopped
        case 8: self = .cancelled
        default: throw .malformed(field, "a state")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .running: 1
        case .paused: 2
        case .stopping: 3
        case .cancelling: 4
        case .done: 5
        case .failed: 6
        case .stopped: 7
        case .cancelled: 8
        }
    }
}

extension QueuedOutcome {
    /// The kinds of results.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// The request's outcome with the same name.
        case applied
        case unchanged
        case conflict
        case rejected
        case cancelled
        case expired
        case undetermined
        /// The controller refused the command, and nothing was done.
        case refused
        /// The command was sent, and its outcome has expired.
        case forgotten
    }
}

extension QueuedOutcome.Kind {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .applied
        case 2: self = .unchanged
        case 3: self = .conflict
        case 4: self = .rejected
        case 5: self = .cancelled
        case 6: self = .expired
        case 7: self = .undetermined
        case 8: self = .refused
        case 9: self = .forgotten
        default: throw .malformed(field, "an end")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .applied: 1
        case .unchanged: 2
        case .conflict: 3
        case .rejected: 4
        case .cancelled: 5
        case .expired: 6
        case .undetermined: 7
        case .refused: 8
        case .forgotten: 9
        }
    }
}

/// A request about the command queues of the user's account.
public enum QueueRequest: Equatable, Sendable {
    /// Starts a command queue, once for each ID; a repeat gets its state.
    /// - `id`: Made by the client before the first try, like a request ID.
    case start(RequestID, QueuePlan)
    /// Returns the state of a command queue.
    case report(RequestID)
    /// The account's command queues, the newest first.
    /// - `before`: Only queues with earlier IDs; absent: all.
    /// - `limit`: The maximum number, 1 to 100.
    case list(before: RequestID?, limit: UInt32)
    /// Pauses, resumes, stops or cancels a command queue; no effect on one that has ended. The reply is its state.
    case steer(RequestID, QueueSteering)
}

extension QueueRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...4: try fields.read(&body)
            default: break
            }
        }
        self = try QueueRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension QueueRequest {
    /// The case that the message in `QueueRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1:
            let (id, plan) = try QueueStartFields.read(choice.message)
            self = .start(id, plan)
        case 2: self = .report(try QueueQueryFields.read(choice.message))
        case 3:
            let (before, limit) = try QueuePullFields.read(choice.message)
            self = .list(before: before, limit: limit)
        default:
            let (id, kind) = try QueueSteeringFields.read(choice.message)
            self = .steer(id, kind)
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .start(let id, let plan): fields.put(1) { QueueStartFields.write(id, plan, into: &$0) }
        case .report(let id): fields.put(2) { QueueQueryFields.write(id, into: &$0) }
        case .list(let before, let limit): fields.put(3) { QueuePullFields.write(before, limit, into: &$0) }
        case .steer(let id, let kind): fields.put(4) { QueueSteeringFields.write(id, kind, into: &$0) }
        }
    }
}

/// The controller's reply to a `QueueRequest`.
public enum QueueReply: Equatable, Sendable {
    case report(QueueReport)
    /// Some of the command queues, the newest first.
    case list(QueueList)
}

extension QueueReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...2: try fields.read(&body)
            default: break
            }
        }
        self = try QueueReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension QueueReply {
    /// The case that the message in `QueueReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .report(try QueueReport(wire: choice.message))
        default: self = .list(try QueueList(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .report(let value): fields.put(1, value)
        case .list(let value): fields.put(2, value)
        }
    }
}

/// The fields of `QueueStart`.
enum QueueStartFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, QueuePlan) {
        var id: FieldReader?
        var plan: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            default: break
            }
        }
        return (try RequestID(wire: id.required("queue.id")), try QueuePlan(wire: plan.required("plan")))
    }

    static func write(
        _ id: RequestID, _ plan: QueuePlan, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
        fields.put(2, plan)
    }
}

extension QueuePlan: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var commands: [QueueCommand] = []
        var onFailure = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&commands)
            case 2: try fields.read(&onFailure)
            default: break
            }
        }
        let onFailureValue = try QueuePlan.OnFailure(wire: onFailure, field: "plan.on_failure")
        do throws(QueuePlanError) {
            try self.init(commands: commands, onFailure: onFailureValue)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        for value in commands { fields.put(1, value) }
        fields.put(2, onFailure.wire)
    }
}

/// One command of a queue.
public struct QueueCommand: Hashable, Sendable {
    /// A label that is unique within the queue: one line of 1 to 32 bytes.
    public let label: String
    public let device: DeviceID
    public let kind: Command.Kind
    /// How long the device takes before it carries out the command: an hour at most.
    public let takes: Duration

    public init(label: String = "", device: DeviceID, kind: Command.Kind, takes: Duration = .zero) {
        self.label = label
        self.device = device
        self.kind = kind
        self.takes = takes
    }
}

extension QueueCommand: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id = ""
        var device: DeviceID?
        var takesMs = UInt32(0)
        var kind: Choice?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&device)
            case 3: try fields.read(&takesMs)
            case 10...11: try fields.read(&kind)
            default: break
            }
        }
        self.init(
            label: id,
            device: try device.required("command.device"),
            kind: try Command.Kind(wire: kind.required("command.kind")),
            takes: try Duration(wire: takesMs, field: "command.takes_ms"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, label)
        fields.put(2, device)
        fields.put(3, UInt32(clamping: takes.wholeMilliseconds))
        kind.write(to: &fields)
    }
}

/// The fields of `QueueQuery`.
enum QueueQueryFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> RequestID {
        var id: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            default: break
            }
        }
        return try RequestID(wire: id.required("queue.id"))
    }

    static func write(
        _ id: RequestID, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
    }
}

/// The fields of `QueuePull`.
enum QueuePullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID?, UInt32) {
        var before: FieldReader?
        var limit = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&before)
            case 2: try fields.read(&limit)
            default: break
            }
        }
        guard (1...UInt32(Limits.chunkQueues)).contains(limit) else { throw .malformed("queues.limit", "1 to \(Limits.chunkQueues)") }
        return (try before.map { value throws(WireError) in try RequestID(wire: value) }, limit)
    }

    static func write(
        _ before: RequestID?, _ limit: UInt32, into fields: inout FieldWriter
    ) {
        if let value = before { fields.put(1, value) }
        fields.put(2, limit)
    }
}

/// The fields of `QueueSteering`.
enum QueueSteeringFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, QueueSteering) {
        var id: FieldReader?
        var kind = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&kind)
            default: break
            }
        }
        return (try RequestID(wire: id.required("queue.id")), try QueueSteering(wire: kind, field: "steering"))
    }

    static func write(
        _ id: RequestID, _ kind: QueueSteering, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
        fields.put(2, kind.wire)
    }
}

/// The state of a command of a queue.
public enum QueueProgress: Hashable, Sendable {
    case waiting
    case running(RequestID)
    case ended(RequestID, QueuedOutcome)
    case skipped
}

extension QueueProgress: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var kind = UInt32(0)
        var requestID: FieldReader?
        var end = UInt32(0)
        var explanation = ""
        var endedMs = Int64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&requestID)
            case 3: try fields.read(&end)
            case 4: try fields.read(&explanation)
            case 5: try fields.read(&endedMs)
            default: break
            }
        }
        let kindValue: QueueProgress
        switch kind {
        case 1: kindValue = .waiting
        case 2: kindValue = .running(try RequestID(wire: requestID.required("progress.request_id")))
        case 3: kindValue = .ended(try RequestID(wire: requestID.required("progress.request_id")), QueuedOutcome(try QueuedOutcome.Kind(wire: end, field: "progress.end"), try explanation.checked(bytes: Limits.queueExplanationBytes, field: "progress.explanation"), at: try WallTime(wire: endedMs, field: "progress.ended_ms")))
        case 4: kindValue = .skipped
        default: throw .malformed("progress.kind", "waiting, running, ended or left out")
        }
        self = kindValue
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .waiting:
            fields.put(1, UInt32(1))
        case .running(let requestID):
            fields.put(1, UInt32(2))
            fields.put(2, requestID)
        case .ended(let requestID, let queuedOutcome):
            fields.put(1, UInt32(3))
            fields.put(2, requestID)
            fields.put(3, queuedOutcome.kind.wire)
            fields.put(4, queuedOutcome.explanation)
            fields.put(5, queuedOutcome.endedAt.wire)
        case .skipped:
            fields.put(1, UInt32(4))
        }
    }
}

extension QueueReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var plan: FieldReader?
        var author = ""
        var startedMs = Int64(0)
        var state = UInt32(0)
        var endedMs: Int64?
        var progress: [QueueProgress] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&plan)
            case 3: try fields.read(&author)
            case 4: try fields.read(&startedMs)
            case 5: try fields.read(&state)
            case 6: try fields.read(&endedMs)
            case 7: try fields.read(&progress)
            default: break
            }
        }
        let planValue = try QueuePlan(wire: plan.required("plan"))
        guard progress.count == planValue.commands.count else {
            throw .malformed("progress", "as many as there are commands")
        }
        self.init(
            id: try RequestID(wire: id.required("queue.id")),
            plan: planValue,
            author: try Email(wire: author, field: "queue.author"),
            startedAt: try WallTime(wire: startedMs, field: "queue.started_ms"),
            state: try QueueState(wire: state, field: "queue.state"),
            endedAt: try endedMs.map { value throws(WireError) in try WallTime(wire: value, field: "queue.ended_ms") },
            progress: progress)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, plan)
        fields.put(3, author.wire)
        fields.put(4, startedAt.wire)
        fields.put(5, state.wire)
        fields.put(6, optional: endedAt?.wire)
        for value in progress { fields.put(7, value) }
    }
}

/// A command queue in a list, without its commands.
public struct QueueSummary: Hashable, Sendable {
    public let id: RequestID
    public let author: Email
    /// The time at which the controller received it.
    public let startedAt: WallTime
    public let state: QueueState
    /// When it ended; absent before.
    public let endedAt: WallTime?
    public let commands: UInt32
    public let ended: UInt32
    public let failed: UInt32

    public init(id: RequestID, author: Email, startedAt: WallTime, state: QueueState, endedAt: WallTime? = nil, commands: UInt32 = 0, ended: UInt32 = 0, failed: UInt32 = 0) {
        self.id = id
        self.author = author
        self.startedAt = startedAt
        self.state = state
        self.endedAt = endedAt
        self.commands = commands
        self.ended = ended
        self.failed = failed
    }
}

extension QueueSummary: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var author = ""
        var startedMs = Int64(0)
        var state = UInt32(0)
        var endedMs: Int64?
        var commands = UInt32(0)
        var ended = UInt32(0)
        var failed = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&author)
            case 3: try fields.read(&startedMs)
            case 4: try fields.read(&state)
            case 5: try fields.read(&endedMs)
            case 6: try fields.read(&commands)
            case 7: try fields.read(&ended)
            case 8: try fields.read(&failed)
            default: break
            }
        }
        self.init(
            id: try RequestID(wire: id.required("queue.id")),
            author: try Email(wire: author, field: "queue.author"),
            startedAt: try WallTime(wire: startedMs, field: "queue.started_ms"),
            state: try QueueState(wire: state, field: "queue.state"),
            endedAt: try endedMs.map { value throws(WireError) in try WallTime(wire: value, field: "queue.ended_ms") },
            commands: commands,
            ended: ended,
            failed: failed)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, author.wire)
        fields.put(3, startedAt.wire)
        fields.put(4, state.wire)
        fields.put(5, optional: endedAt?.wire)
        fields.put(6, commands)
        fields.put(7, ended)
        fields.put(8, failed)
    }
}

/// Some of an account's command queues, the newest first.
public struct QueueList: Hashable, Sendable {
    public let queues: [QueueSummary]
    /// Whether no older queues exist.
    public let isLast: Bool

    public init(queues: [QueueSummary] = [], isLast: Bool = false) {
        self.queues = queues
        self.isLast = isLast
    }
}

extension QueueList: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var queues: [QueueSummary] = []
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&queues)
            case 2: try fields.read(&done)
            default: break
            }
        }
        self.init(queues: queues, isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        for value in queues { fields.put(1, value) }
        fields.put(2, isLast)
    }
}

/// The value of a stored record.
public enum QueueRecord: Equatable, Sendable {
    case report(QueueReport)
    /// Queues with IDs up to that time may have been removed.
    /// - `upTo`: Unix milliseconds.
    case removed(upTo: WallTime)
}

extension QueueRecord: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...2: try fields.read(&body)
            default: break
            }
        }
        self = try QueueRecord(wire: body.required("body: a record of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension QueueRecord {
    /// The case that the message in `QueueRecord.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .report(try QueueReport(wire: choice.message))
        default: self = .removed(upTo: try RemovedQueuesFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .report(let value): fields.put(1, value)
        case .removed(let upTo): fields.put(2) { RemovedQueuesFields.write(upTo, into: &$0) }
        }
    }
}

/// The fields of `RemovedQueues`.
enum RemovedQueuesFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> WallTime {
        var upToMs = Int64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&upToMs)
            default: break
            }
        }
        return try WallTime(wire: upToMs, field: "removed_queues.up_to_ms")
    }

    static func write(
        _ upTo: WallTime, into fields: inout FieldWriter
    ) {
        fields.put(1, upTo.wire)
    }
}
