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

    var violations: [String] = []
    /// Words that were heard at all: what the faults brought about.
    var seen: Set<String> = []
    var owners: [DeviceID: AccountID] = [:]
    /// Whether deadlines mean the same in each life of the controller.
    var clocksAreRight = true

    /// The devices' side: the state and the sequence that each life was left at, and what each request did.
    var reports: [Life: DeviceState] = [:]
    var lastUsed: [Life: CommandSequence] = [:]
    var applied: [Key: [DeviceState]] = [:]

    /// The controller's side.
    var finals: [Key: Outcome] = [:]
    var endedAt: [Key: Int] = [:]
    /// How it ended, as it was kept; ``finals`` is what somebody heard.
    var endedAs: [Key: Outcome] = [:]
    var askedAt: [Key: Int] = [:]
    /// The batch in which it ended: a copy of its command that was decided on before may leave after.
    var endedIn: [Key: Int] = [:]
    var batches = 0
    var clock = 0
    var deadlines: [Key: WallTime] = [:]
    var contents: [Key: RequestContent] = [:]
    /// The version that the newest command of a request holds for.
    var bases: [Key: Version] = [:]
    var cancelled: Set<Key> = []
    var expected: [Key] = []
    var dispatched: Set<CommandIdentity> = []
    var inFlight: [DeviceID: Key] = [:]
    var lanes: [DeviceID: Set<Key>] = [:]
    var sequences: [Stream: StreamSequence] = [:]
    /// Messages by life and correlation.
    var unanswered: [Int: [UInt64: Int]] = [:]

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

    /// From now on nothing is in the way: this has to be applied before the end.
    mutating func mustApply(_ key: Key) {
        expected.append(key)
    }

    /// Requests that were admitted.
    var requestCount: Int { contents.count }
}
