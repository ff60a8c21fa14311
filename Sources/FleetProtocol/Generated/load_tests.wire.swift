// Made by protoc-gen-fleetwire from sensibus/v1/load_tests.proto: `make proto` makes it again.
// swift-format-ignore-file

/// The phase of a tester in a load test.
public enum TesterPhase: UInt8, CaseIterable, Hashable, Sendable {
    /// It reads the devices and opens its connections.
    case preparing
    /// It has what it needs, and waits for the start.
    case ready
    /// It sends requests, or waits for their replies.
    case running
    /// It has ended, and sends its result.
    case done
}

extension TesterPhase {
    /// The case of that number.
    @inline(__always)
    init(wire number: UInt32, field: String) throws(WireError) {
        switch number {
        case 1: self = .preparing
        case 2: self = .ready
        case 3: self = .running
        case 4: self = .done
        default: throw .malformed(field, "preparing, ready, running or done")
        }
    }

    /// The case's number.
    var wire: UInt32 {
        switch self {
        case .preparing: 1
        case .ready: 2
        case .running: 3
        case .done: 4
        }
    }
}

/// A request about the load test of the user's account; each can be repeated.
public enum LoadTestRequest: Equatable, Sendable {
    /// Opens a load test, the only one of its account; a repeat gets its state.
    case open(LoadTestOpening)
    /// Returns the state of a load test.
    case watch(RequestID)
    /// Lets the testers begin at one instant.
    /// - `delay`: From the receipt of this message to that instant: at most 10,000.
    case start(RequestID, delay: Duration)
    /// Lets the testers stop early and send their results. Its reply is that of LoadTestQuery.
    /// - `isAbandoning`: Whether they do not wait for replies to the requests that they have sent.
    case stop(RequestID, isAbandoning: Bool)
    /// Pulls a part of a tester's result, and confirms all parts before it.
    /// - `offset`: The offset of the part in the result, in bytes; at most 64 MiB.
    case pull(RequestID, tester: UInt32, offset: UInt64)
    /// Discards the load test.
    case end(RequestID)
    /// Asks for a place in the account's load test; a repeat gets the same one.
    case join(TesterEntry)
    /// Reports the state of a tester, which takes its place again if the controller has forgotten it.
    case report(TesterReport)
    /// A part of a tester's result.
    case part(TesterPart)
}

extension LoadTestRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...6, 10...12: try fields.read(&body)
            default: break
            }
        }
        self = try LoadTestRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LoadTestRequest {
    /// The case that the message in `LoadTestRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .open(try LoadTestOpening(wire: choice.message))
        case 2: self = .watch(try LoadTestQueryFields.read(choice.message))
        case 3:
            let (id, delay) = try LoadTestStartFields.read(choice.message)
            self = .start(id, delay: delay)
        case 4:
            let (id, isAbandoning) = try LoadTestStopFields.read(choice.message)
            self = .stop(id, isAbandoning: isAbandoning)
        case 5:
            let (id, tester, offset) = try LoadTestPullFields.read(choice.message)
            self = .pull(id, tester: tester, offset: offset)
        case 6: self = .end(try LoadTestEndFields.read(choice.message))
        case 10: self = .join(try TesterEntry(wire: choice.message))
        case 11: self = .report(try TesterReport(wire: choice.message))
        default: self = .part(try TesterPart(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .open(let value): fields.put(1, value)
        case .watch(let id): fields.put(2) { LoadTestQueryFields.write(id, into: &$0) }
        case .start(let id, let delay): fields.put(3) { LoadTestStartFields.write(id, delay, into: &$0) }
        case .stop(let id, let isAbandoning): fields.put(4) { LoadTestStopFields.write(id, isAbandoning, into: &$0) }
        case .pull(let id, let tester, let offset): fields.put(5) { LoadTestPullFields.write(id, tester, offset, into: &$0) }
        case .end(let id): fields.put(6) { LoadTestEndFields.write(id, into: &$0) }
        case .join(let value): fields.put(10, value)
        case .report(let value): fields.put(11, value)
        case .part(let value): fields.put(12, value)
        }
    }
}

/// The controller's reply to a `LoadTestRequest`.
public enum LoadTestReply: Equatable, Sendable {
    /// The state of a load test, for its coordinator.
    case state(LoadTestState)
    case ended
    /// A part of a tester's result.
    case part(TesterPart)
    /// The place of a tester in a load test, and the load.
    case order(TesterOrder)
    /// No load test of the account needs a tester.
    case noOrder
    /// What a tester has to do.
    case signal(TesterSignal)
    /// - `nextOffset`: The offset of the part to send next: that of the same part again, if the coordinator has not pulled it.
    case taken(nextOffset: UInt64)
}

extension LoadTestReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...3, 10...13: try fields.read(&body)
            default: break
            }
        }
        self = try LoadTestReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension LoadTestReply {
    /// The case that the message in `LoadTestReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .state(try LoadTestState(wire: choice.message))
        case 2: self = .ended
        case 3: self = .part(try TesterPart(wire: choice.message))
        case 10: self = .order(try TesterOrder(wire: choice.message))
        case 11: self = .noOrder
        case 12: self = .signal(try TesterSignal(wire: choice.message))
        default: self = .taken(nextOffset: try PartTakenFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .state(let value): fields.put(1, value)
        case .ended: fields.put(2) { _ in }
        case .part(let value): fields.put(3, value)
        case .order(let value): fields.put(10, value)
        case .noOrder: fields.put(11) { _ in }
        case .signal(let value): fields.put(12, value)
        case .taken(let nextOffset): fields.put(13) { PartTakenFields.write(nextOffset, into: &$0) }
        }
    }
}

/// Opens a load test, the only one of its account; a repeat gets its state.
public struct LoadTestOpening: Hashable, Sendable {
    /// Made by the coordinator before the first try, like a request ID.
    public let id: RequestID
    /// The number of testers: 1 to 64.
    public let testers: UInt32
    /// The load in a form that coordinator and testers agree on; at most 8 KiB.
    public let plan: [UInt8]
    /// After a restart of the controller: the time to the start that the testers had, negative if it has passed.
    public let startsIn: Duration?

    public init(id: RequestID, testers: UInt32 = 0, plan: [UInt8] = [], startsIn: Duration? = nil) {
        self.id = id
        self.testers = testers
        self.plan = plan
        self.startsIn = startsIn
    }
}

extension LoadTestOpening: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var testers = UInt32(0)
        var plan: [UInt8] = []
        var startsInMs: Int64?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&testers)
            case 3: try fields.read(&plan)
            case 4: try fields.read(&startsInMs)
            default: break
            }
        }
        guard (1...UInt32(Limits.loadTesters)).contains(testers) else { throw .malformed("load_test.testers", "1 to \(Limits.loadTesters)") }
        guard plan.count <= Limits.loadPlanBytes else { throw .malformed("load_test.plan", "at most \(Limits.loadPlanBytes) bytes") }
        self.init(
            id: try RequestID(wire: id.required("load_test.id")),
            testers: testers,
            plan: plan,
            startsIn: try startsInMs.map { value throws(WireError) in try Duration(wire: value, field: "load_test.starts_in_ms") })
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, testers)
        fields.put(3, plan)
        fields.put(4, optional: startsIn?.wholeMilliseconds)
    }
}

/// The fields of `LoadTestQuery`.
enum LoadTestQueryFields {
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
        return try RequestID(wire: id.required("load_test.id"))
    }

    static func write(
        _ id: RequestID, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
    }
}

/// The fields of `LoadTestStart`.
enum LoadTestStartFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, Duration) {
        var id: FieldReader?
        var delayMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&delayMs)
            default: break
            }
        }
        let delayMsValue = try Duration(wire: delayMs, field: "load_test.delay_ms")
        guard delayMsValue <= Limits.longestLoadDelay else { throw .malformed("load_test.delay_ms", "at most \(Limits.longestLoadDelay)") }
        return (try RequestID(wire: id.required("load_test.id")), delayMsValue)
    }

    static func write(
        _ id: RequestID, _ delay: Duration, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
        fields.put(2, UInt32(clamping: delay.wholeMilliseconds))
    }
}

/// The fields of `LoadTestStop`.
enum LoadTestStopFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, Bool) {
        var id: FieldReader?
        var abandoning = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&abandoning)
            default: break
            }
        }
        return (try RequestID(wire: id.required("load_test.id")), abandoning)
    }

    static func write(
        _ id: RequestID, _ isAbandoning: Bool, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
        fields.put(2, isAbandoning)
    }
}

/// The fields of `LoadTestPull`.
enum LoadTestPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (RequestID, UInt32, UInt64) {
        var id: FieldReader?
        var tester = UInt32(0)
        var offset = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&tester)
            case 3: try fields.read(&offset)
            default: break
            }
        }
        guard offset <= Limits.loadResultBytes else { throw .malformed("load_test.offset", "at most \(Limits.loadResultBytes)") }
        return (try RequestID(wire: id.required("load_test.id")), tester, offset)
    }

    static func write(
        _ id: RequestID, _ tester: UInt32, _ offset: UInt64, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
        fields.put(2, tester)
        fields.put(3, offset)
    }
}

/// The fields of `LoadTestEnd`.
enum LoadTestEndFields {
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
        return try RequestID(wire: id.required("load_test.id"))
    }

    static func write(
        _ id: RequestID, into fields: inout FieldWriter
    ) {
        fields.put(1, id)
    }
}

/// The state of a load test, for its coordinator.
public struct LoadTestState: Hashable, Sendable {
    public let id: RequestID
    /// The testers that have joined, by number.
    public let testers: [TesterStatus]

    public init(id: RequestID, testers: [TesterStatus] = []) {
        self.id = id
        self.testers = testers
    }
}

extension LoadTestState: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var testers: [TesterStatus] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&testers)
            default: break
            }
        }
        guard testers.count <= Limits.loadTesters else { throw .malformed("load_test.testers", "at most \(Limits.loadTesters)") }
        self.init(id: try RequestID(wire: id.required("load_test.id")), testers: testers)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        for value in testers { fields.put(2, value) }
    }
}

/// A tester of a load test, as its coordinator sees it.
public struct TesterStatus: Hashable, Sendable {
    /// From 0.
    public let tester: UInt32
    public let name: NodeName
    public let phase: TesterPhase
    public let progress: TesterProgress
    /// The time since its last message, in milliseconds.
    public let silent: Duration

    public init(tester: UInt32 = 0, name: NodeName, phase: TesterPhase, progress: TesterProgress, silent: Duration = .zero) {
        self.tester = tester
        self.name = name
        self.phase = phase
        self.progress = progress
        self.silent = silent
    }
}

extension TesterStatus: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var tester = UInt32(0)
        var name = ""
        var phase = UInt32(0)
        var progress: FieldReader?
        var silentMs = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&tester)
            case 2: try fields.read(&name)
            case 3: try fields.read(&phase)
            case 4: try fields.read(&progress)
            case 5: try fields.read(&silentMs)
            default: break
            }
        }
        self.init(
            tester: tester,
            name: try NodeName(wire: name, field: "tester.name"),
            phase: try TesterPhase(wire: phase, field: "tester.phase"),
            progress: try TesterProgress(wire: progress.required("tester.progress")),
            silent: try Duration(wire: silentMs, field: "tester.silent_ms"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, tester)
        fields.put(2, name.wire)
        fields.put(3, phase.wire)
        fields.put(4, progress)
        fields.put(5, UInt32(clamping: silent.wholeMilliseconds))
    }
}

/// The requests of a tester since the measurement began.
public struct TesterProgress: Hashable, Sendable {
    public let offered: UInt64
    /// The number of them that were applied.
    public let applied: UInt64
    /// The number of them that were not applied.
    public let failed: UInt64
    public let inFlight: UInt32
    /// Latencies of the last second, in microseconds; 0 without any.
    public let p50Us: UInt64
    /// The 99th percentile of the latencies of the last second, in microseconds; 0 without any.
    public let p99Us: UInt64

    public init(offered: UInt64 = 0, applied: UInt64 = 0, failed: UInt64 = 0, inFlight: UInt32 = 0, p50Us: UInt64 = 0, p99Us: UInt64 = 0) {
        self.offered = offered
        self.applied = applied
        self.failed = failed
        self.inFlight = inFlight
        self.p50Us = p50Us
        self.p99Us = p99Us
    }
}

extension TesterProgress: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var offered = UInt64(0)
        var applied = UInt64(0)
        var failed = UInt64(0)
        var inFlight = UInt32(0)
        var p50Us = UInt64(0)
        var p99Us = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&offered)
            case 2: try fields.read(&applied)
            case 3: try fields.read(&failed)
            case 4: try fields.read(&inFlight)
            case 5: try fields.read(&p50Us)
            case 6: try fields.read(&p99Us)
            default: break
            }
        }
        self.init(
            offered: offered,
            applied: applied,
            failed: failed,
            inFlight: inFlight,
            p50Us: p50Us,
            p99Us: p99Us)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, offered)
        fields.put(2, applied)
        fields.put(3, failed)
        fields.put(4, inFlight)
        fields.put(5, p50Us)
        fields.put(6, p99Us)
    }
}

/// Asks for a place in the account's load test; a repeat gets the same one.
public struct TesterEntry: Hashable, Sendable {
    /// Made by the tester when it starts.
    public let agent: RequestID
    /// Of its machine: 1 to 32 of [A-Za-z0-9._-].
    public let name: NodeName

    public init(agent: RequestID, name: NodeName) {
        self.agent = agent
        self.name = name
    }
}

extension TesterEntry: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var agent: FieldReader?
        var name = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&agent)
            case 2: try fields.read(&name)
            default: break
            }
        }
        self.init(
            agent: try RequestID(wire: agent.required("tester.agent")),
            name: try NodeName(wire: name, field: "tester.name"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, agent)
        fields.put(2, name.wire)
    }
}

/// The place of a tester in a load test, and the load.
public struct TesterOrder: Hashable, Sendable {
    public let id: RequestID
    /// The tester's number, from 0.
    public let tester: UInt32
    public let testers: UInt32
    /// The load, as its coordinator has written it.
    public let plan: [UInt8]

    public init(id: RequestID, tester: UInt32 = 0, testers: UInt32 = 0, plan: [UInt8] = []) {
        self.id = id
        self.tester = tester
        self.testers = testers
        self.plan = plan
    }
}

extension TesterOrder: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var tester = UInt32(0)
        var testers = UInt32(0)
        var plan: [UInt8] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&tester)
            case 3: try fields.read(&testers)
            case 4: try fields.read(&plan)
            default: break
            }
        }
        guard plan.count <= Limits.loadPlanBytes else { throw .malformed("tester.plan", "at most \(Limits.loadPlanBytes) bytes") }
        self.init(
            id: try RequestID(wire: id.required("tester.id")),
            tester: tester,
            testers: testers,
            plan: plan)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, tester)
        fields.put(3, testers)
        fields.put(4, plan)
    }
}

/// The report of a tester about itself.
public struct TesterReport: Hashable, Sendable {
    public let id: RequestID
    public let agent: RequestID
    public let tester: UInt32
    public let name: NodeName
    public let phase: TesterPhase
    public let progress: TesterProgress

    public init(id: RequestID, agent: RequestID, tester: UInt32 = 0, name: NodeName, phase: TesterPhase, progress: TesterProgress) {
        self.id = id
        self.agent = agent
        self.tester = tester
        self.name = name
        self.phase = phase
        self.progress = progress
    }
}

extension TesterReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var agent: FieldReader?
        var tester = UInt32(0)
        var name = ""
        var phase = UInt32(0)
        var progress: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&agent)
            case 3: try fields.read(&tester)
            case 4: try fields.read(&name)
            case 5: try fields.read(&phase)
            case 6: try fields.read(&progress)
            default: break
            }
        }
        self.init(
            id: try RequestID(wire: id.required("tester.id")),
            agent: try RequestID(wire: agent.required("tester.agent")),
            tester: tester,
            name: try NodeName(wire: name, field: "tester.name"),
            phase: try TesterPhase(wire: phase, field: "tester.phase"),
            progress: try TesterProgress(wire: progress.required("tester.progress")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, agent)
        fields.put(3, tester)
        fields.put(4, name.wire)
        fields.put(5, phase.wire)
        fields.put(6, progress)
    }
}

/// What a tester has to do.
public enum TesterSignal: Hashable, Sendable {
    case wait
    case start(inUs: Int64)
    case stop
    case abandon
}

extension TesterSignal: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var kind = UInt32(0)
        var startsInUs = Int64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&startsInUs)
            default: break
            }
        }
        let kindValue: TesterSignal
        switch kind {
        case 1: kindValue = .wait
        case 2: kindValue = .start(inUs: startsInUs)
        case 3: kindValue = .stop
        case 4: kindValue = .abandon
        default: throw .malformed("signal.kind", "wait, start, stop or abandon")
        }
        self = kindValue
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .wait:
            fields.put(1, UInt32(1))
        case .start(let inUs):
            fields.put(1, UInt32(2))
            fields.put(2, inUs)
        case .stop:
            fields.put(1, UInt32(3))
        case .abandon:
            fields.put(1, UInt32(4))
        }
    }
}

/// A part of a tester's result.
public struct TesterPart: Hashable, Sendable {
    public let id: RequestID
    public let tester: UInt32
    /// Its offset in the result, in bytes; at most 64 MiB.
    public let offset: UInt64
    /// At most 15 KiB. Empty in a reply: the tester has not sent the part yet.
    public let content: [UInt8]
    /// Whether it is the last part.
    public let isLast: Bool

    public init(id: RequestID, tester: UInt32 = 0, offset: UInt64 = 0, content: [UInt8] = [], isLast: Bool = false) {
        self.id = id
        self.tester = tester
        self.offset = offset
        self.content = content
        self.isLast = isLast
    }
}

extension TesterPart: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id: FieldReader?
        var tester = UInt32(0)
        var offset = UInt64(0)
        var content: [UInt8] = []
        var last = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&tester)
            case 3: try fields.read(&offset)
            case 4: try fields.read(&content)
            case 5: try fields.read(&last)
            default: break
            }
        }
        guard offset <= Limits.loadResultBytes else { throw .malformed("tester.offset", "at most \(Limits.loadResultBytes)") }
        guard content.count <= Limits.loadPartBytes else { throw .malformed("tester.content", "at most \(Limits.loadPartBytes) bytes") }
        self.init(
            id: try RequestID(wire: id.required("tester.id")),
            tester: tester,
            offset: offset,
            content: content,
            isLast: last)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id)
        fields.put(2, tester)
        fields.put(3, offset)
        fields.put(4, content)
        fields.put(5, isLast)
    }
}

/// The fields of `PartTaken`.
enum PartTakenFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt64 {
        var nextOffset = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&nextOffset)
            default: break
            }
        }
        return nextOffset
    }

    static func write(
        _ nextOffset: UInt64, into fields: inout FieldWriter
    ) {
        fields.put(1, nextOffset)
    }
}
