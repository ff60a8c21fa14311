import ControllerCore
import DeviceCore
import FleetProtocol
import Stepping

/// What was promised and what was done, each seen where it happens; it says where the two differ.
struct Ledger {
    /// A request's identity.
    struct Key: Hashable, CustomStringConvertible {
        let account: AccountID
        let id: RequestID
        var description: String { "\(account)/\(id)" }
    }

    /// The updates of one account in one epoch.
    struct Stream: Hashable {
        let epoch: Epoch
        let account: AccountID
    }

    /// A device in one life of its memory.
    struct Life: Hashable {
        let device: DeviceID
        let incarnation: Incarnation
    }

    private(set) var violations: [String] = []
    /// Words that were heard at all: what the faults brought about.
    var seen: Set<String> = []
    var owners: [DeviceID: AccountID] = [:]
    /// Whether deadlines mean the same in each life of the controller.
    var clocksAreRight = true

    /// The devices' side: the state and the sequence that each life was left at, and what each request did.
    private var reports: [Life: DeviceState] = [:]
    private var lastUsed: [Life: CommandSequence] = [:]
    private(set) var applied: [Key: [DeviceState]] = [:]

    /// The controller's side.
    private(set) var finals: [Key: Outcome] = [:]
    private var endedAt: [Key: Int] = [:]
    /// How it ended, as it was kept; ``finals`` is what somebody heard.
    private var endedAs: [Key: Outcome] = [:]
    private var askedAt: [Key: Int] = [:]
    /// The batch in which it ended: a copy of its command that was decided on before may leave after.
    private var endedIn: [Key: Int] = [:]
    private var batches = 0
    private var clock = 0
    private var deadlines: [Key: WallTime] = [:]
    private var contents: [Key: RequestContent] = [:]
    /// The version that the newest command of a request holds for.
    private var bases: [Key: Version] = [:]
    private var cancelled: Set<Key> = []
    private var expected: [Key] = []
    private var dispatched: Set<CommandIdentity> = []
    private var inFlight: [DeviceID: Key] = [:]
    private var lanes: [DeviceID: Set<Key>] = [:]
    private var sequences: [Stream: StreamSequence] = [:]
    /// Messages by life and correlation.
    private var unanswered: [Int: [UInt64: Int]] = [:]

    mutating func violate(_ what: String) {
        if violations.count < 20 { violations.append(what) }
    }

    mutating func asked(_ key: Key) {
        clock += 1
        askedAt[key] = askedAt[key] ?? clock
    }

    mutating func heard(_ request: ClientRequest, in life: Int) {
        unanswered[life, default: [:]][request.correlation, default: 0] += 1
    }

    /// Whom a life has not answered hears nothing from it any more.
    mutating func lifeEnded(_ life: Int) {
        unanswered[life] = nil
    }

    // MARK: Devices

    /// A device is there again: in a life that it remembers exactly as it was left, or in a new one.
    mutating func begin(_ row: DeviceRow) {
        let life = Life(device: row.device, incarnation: row.reported.incarnation)
        if let left = reports[life], left != row.reported {
            violate("\(row.device) was left at \(left), and is back at \(row.reported)")
        }
        if let used = lastUsed[life], used != row.lastSequence {
            violate("\(row.device) used \(used), and is back at \(row.lastSequence)")
        }
        reports[life] = row.reported
    }

    mutating func note(_ effects: [Node.Effect]) {
        for case .remember(let entry) in effects {
            let life = Life(device: entry.device, incarnation: entry.reported.incarnation)
            let isChange = entry.cause == .hand || entry.used?.verdict == .applied
            let before = reports[life]?.version ?? .zero
            let wanted = isChange || entry.cause == .reset ? before.next : before
            if entry.reported.version != wanted {
                violate("\(entry.device) went from version \(before) to \(entry.reported.version)")
            }
            reports[life] = entry.reported
            if let used = entry.used {
                if used.sequence <= lastUsed[life] ?? .zero {
                    violate("\(entry.device) used \(used.sequence) again")
                }
                lastUsed[life] = used.sequence
            }
            guard let used = entry.used, used.verdict == .applied, let owner = owners[entry.device] else {
                continue
            }
            let key = Key(account: owner, id: used.requestID)
            applied[key, default: []].append(entry.reported)
            if applied[key, default: []].count > 1 { violate("\(key) took effect twice") }
        }
    }

    // MARK: The controller

    /// A life of the controller begins to keep what it has decided.
    mutating func batchBegins() {
        batches += 1
    }

    /// A batch is on the disk.
    mutating func noteKept(_ batch: [UInt8]) {
        do {
            for entry in try JournalEntry.entries(of: batch[...]) { note(entry) }
        } catch {
            violate("a batch that cannot be read: \(error)")
        }
    }

    private mutating func note(_ entry: JournalEntry) {
        switch entry {
        case .admitted(let record): enter(record)
        case .dispatched(let record, let dispatch):
            let (key, identity) = (enter(record), dispatch.identity)
            bases[key] = dispatch.base
            if let other = inFlight[identity.device], other != key {
                violate("\(key) was dispatched while \(other) was in flight")
            }
            inFlight[identity.device] = key
            dispatched.insert(identity)
        case .cancelRequested(let account, let id): cancelled.insert(Key(account: account, id: id))
        case .ended(let account, let report, _, _):
            let key = Key(account: account, id: report.requestID)
            if endedAt[key] != nil { violate("\(key) ended twice") }
            clock += 1
            endedAt[key] = clock
            endedIn[key] = batches
            endedAs[key] = report.outcome
            guard let device = report.device else { return }
            lanes[device]?.remove(key)
            if inFlight[device] == key { inFlight[device] = nil }
        case .horizonRaised, .sessionOpened, .sessionsClosed, .userAdded, .userRemoved, .passwordChanged:
            break
        }
    }

    @discardableResult
    private mutating func enter(_ record: RequestRecord) -> Key {
        let key = Key(account: record.account, id: record.requestID)
        if endedAt[key] != nil { violate("\(key) went on after its end") }
        if owners[record.content.device] != record.account { violate("\(key) is about a foreign device") }
        deadlines[key] = record.deadline
        contents[key] = record.content
        lanes[record.content.device, default: []].insert(key)
        if lanes[record.content.device, default: []].count > Limits.laneRequests {
            violate("\(key) is one too many in its lane")
        }
        return key
    }

    mutating func note(_ message: ControllerMessage, isNewest: Bool, at now: Moment) {
        switch message.body {
        case .pong, .pull, .fault, .taken: break
        case .abort(let identity):
            seen.insert("abort")
            if !dispatched.contains(identity) { violate("\(identity) is aborted and was never dispatched") }
        case .command(let command):
            guard let owner = owners[command.identity.device] else { return violate("a command to nobody") }
            let key = Key(account: owner, id: command.identity.requestID)
            if !dispatched.contains(command.identity) { violate("\(key) left before its journal entry") }
            // One that was overtaken may still say what it knows; the devices do not listen.
            guard isNewest else { return }
            if cancelled.contains(key) { violate("\(key) left after its cancel") }
            if let batch = endedIn[key], batch != batches { violate("\(key) left after its end") }
            guard let deadline = deadlines[key] else { return violate("\(key) left and was never admitted") }
            let spare = now.wall.advanced(by: command.timeToLive).duration(to: deadline)
            if command.timeToLive <= .zero || (spare < .milliseconds(-2) && clocksAreRight) {
                violate("\(key) left with more time than it had: \(command.timeToLive), \(spare)")
            }
        }
    }

    mutating func note(_ update: StreamUpdate, of account: AccountID) {
        let stream = Stream(epoch: update.epoch, account: account)
        let last = sequences[stream] ?? .zero
        let expected = update.body == .beat ? last : last.next
        if update.sequence != expected { violate("stream of \(account): \(update.sequence) after \(last)") }
        sequences[stream] = update.sequence
        switch update.body {
        case .beat, .node: break
        case .reported(let device, _), .connection(let device, _), .removed(let device):
            if owners[device] != account { violate("\(account) hears of the foreign \(device)") }
        case .added(let row):
            if owners[row.device] != account { violate("\(account) hears of the foreign \(row.device)") }
        case .outcome(let report): hear(report, in: account)
        }
    }

    mutating func note(_ reply: ClientReply, to account: AccountID, from life: Int, isNewest: Bool) {
        unanswered[life, default: [:]][reply.correlation, default: 0] -= 1
        if unanswered[life]?[reply.correlation] ?? 0 < 0 {
            violate("\(reply.correlation) has a second reply")
        }
        switch reply.body {
        case .outcome(let report):
            // One that was overtaken does not know of an end, and says only that.
            if isNewest || report.outcome.isFinal { hear(report, in: account) }
        case .cancel(let id, .cancelled): hear(.cancelled, of: Key(account: account, id: id))
        case .cancel(_, .tooLate(let report)):
            seen.insert("tooLate")
            hear(report, in: account)
        case .cancel(let id, .pending):
            seen.insert("cancelPending")
            if finals[Key(account: account, id: id)] != nil { violate("\(id) is pending after its end") }
        case .refusal(let refusal): seen.insert(refusal.name)
        case .snapshot, .status, .session, .signedOut, .injected, .userAdded, .users, .userRemoved,
            .passwordChanged:
            break
        }
    }

    private mutating func hear(_ report: OutcomeReport, in account: AccountID) {
        let key = Key(account: account, id: report.requestID)
        if let device = report.device, owners[device] != account {
            violate("\(key) tells of a foreign device")
        }
        hear(report.outcome, of: key)
    }

    private mutating func hear(_ outcome: Outcome, of key: Key) {
        seen.insert(outcome.name)
        if let known = finals[key], known != outcome { violate("\(key) was \(known) and is \(outcome)") }
        guard outcome.isFinal else { return }
        if endedAs[key] != outcome {
            violate("\(key) is \(outcome), and was kept as \(endedAs[key].map { "\($0)" } ?? "nothing")")
        }
        finals[key] = outcome
    }

    /// From now on nothing is in the way: this has to be applied before the end.
    mutating func mustApply(_ key: Key) {
        expected.append(key)
    }

    /// Requests that were admitted.
    var requestCount: Int { contents.count }

    // MARK: The end

    /// What can be said only when all is over.
    mutating func close() {
        for (correlation, count) in unanswered.values.flatMap({ $0 }).sorted(by: { $0.key < $1.key })
        where count > 0 {
            violate("message \(correlation) has no reply")
        }
        for key in applied.keys.sorted(by: { $0.id < $1.id }) where endedAs[key] == nil {
            violate("\(key) took effect and never ended")
        }
        for (key, outcome) in endedAs.sorted(by: { $0.key.id < $1.key.id }) {
            check(key, outcome)
        }
        for key in expected {
            guard case .applied? = finals[key] else {
                violate("\(key) was asked for in peace, and is \(finals[key].map(\.name) ?? "nothing")")
                continue
            }
        }
        checkOrder()
    }

    private mutating func check(_ key: Key, _ outcome: Outcome) {
        let effects = applied[key, default: []]
        switch outcome {
        case .applied(let state):
            if effects != [state] { violate("\(key) was applied as \(state), and the device did \(effects)") }
            if let base = bases[key], state.version != base.next {
                violate("\(key) was applied as \(state), and held only for version \(base)")
            }
            if let expected = contents[key]?.expected,
                expected.incarnation != state.incarnation || expected.version.next != state.version
            {
                violate("\(key) was applied as \(state), and expected \(expected)")
            }
        case .unchanged where contents[key]?.kind == .toggle:
            violate("\(key) is a toggle that changed nothing")
        case .undetermined, .unknown: break
        case .unchanged, .conflict, .rejected, .cancelled, .expired:
            if !effects.isEmpty { violate("\(key) is \(outcome.name) and took effect: \(effects)") }
        }
    }

    /// Who was answered before another asked was also carried out before.
    private mutating func checkOrder() {
        for (first, states) in applied {
            guard let answered = endedAt[first], let early = states.first else { continue }
            for (second, others) in applied where askedAt[second] ?? 0 > answered {
                guard let late = others.first, late.incarnation == early.incarnation else { continue }
                if late.version < early.version { violate("\(second) overtook \(first)") }
            }
        }
    }
}
