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

        /// Two accounts have the same id now and then only, and the name takes longer to hash.
        func hash(into hasher: inout Hasher) {
            hasher.combine(id)
        }
    }

    /// All that is known of one request.
    struct Story {
        /// When it was first asked for, and when its end was kept, by the ledger's clock.
        var askedAt: Int?
        var endedAt: Int?
        /// The batch in which it ended: a copy of its command that was decided on before may leave after.
        var endedIn: Int?
        /// What was admitted, and until when it holds.
        var content: RequestContent?
        var deadline: WallTime?
        /// The version that its newest command holds for.
        var base: Version?
        var isCancelled = false
        /// What devices did for it.
        var applied: [DeviceState] = []
        /// How it ended, as it was kept, and what somebody heard.
        var endedAs: Outcome?
        var final: Outcome?
    }

    /// One life of a node's process.
    struct NodeBoot: Equatable {
        /// Which node it is.
        let node: Int
        /// Which of its lives, from 1.
        let number: Int
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

    /// The state and the sequence that each life of a device was left at.
    var reports: [Life: DeviceState] = [:]
    var lastUsed: [Life: CommandSequence] = [:]
    /// What each was left set to do by itself.
    var settings: [Life: DeviceSettings] = [:]

    var stories: [Key: Story] = [:]
    /// What has to be applied before the end.
    var expected: [Key] = []
    var batches = 0
    var clock = 0
    var dispatched: Set<CommandIdentity> = []
    var inFlight: [DeviceID: Key] = [:]
    var lanes: [DeviceID: Set<Key>] = [:]
    var sequences: [Stream: StreamSequence] = [:]
    /// Devices that their accounts were told of, and not that they are gone for good.
    var shown: Set<DeviceID> = []
    /// The devices that commands are about, by correlation.
    var named: [UInt64: DeviceID] = [:]
    /// Which boot of a node each connection is of; boots are counted, and later ones have higher numbers.
    var boots: [ConnectionID: NodeBoot] = [:]
    /// The latest boots that a life of the controller believed to be alive.
    var present: [Int: [Int: Int]] = [:]
    /// How many hellos a life of the controller has heard from each connection.
    var hellos: [Int: [ConnectionID: Int]] = [:]
    /// Messages by life and correlation.
    var unanswered: [Int: [UInt64: Int]] = [:]

    mutating func violate(_ what: String) {
        if violations.count < 20 { violations.append(what) }
    }

    mutating func asked(_ key: Key) {
        clock += 1
        if stories[key]?.askedAt == nil { stories[key, default: Story()].askedAt = clock }
    }

    mutating func heard(_ request: ClientRequest, in life: Int) {
        unanswered[life, default: [:]][request.correlation, default: 0] += 1
        if case .command(let command) = request.body { named[request.correlation] = command.device }
    }

    /// Whom a life has not answered hears nothing from it any more.
    mutating func lifeEnded(_ life: Int) {
        unanswered[life] = nil
        present[life] = nil
        hellos[life] = nil
    }

    /// From now on nothing is in the way: this has to be applied before the end.
    mutating func mustApply(_ key: Key) {
        expected.append(key)
    }

    /// Requests that were admitted.
    var requestCount: Int { stories.values.count { $0.content != nil } }

    /// Requests that took effect.
    var appliedCount: Int { stories.values.count { !$0.applied.isEmpty } }
}
