// Made by protoc-gen-fleetwire from sensibus/v1/load_tests.proto: `make proto` makes it again.
// swift-format-ignore-file

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
