import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica

/// The violations of invariants that a run has shown, and the kinds of events that occurred in it.
struct Findings {
    private static let violationsAtMost = 20

    private(set) var violations: [String] = []
    /// The names of events that occurred at least once.
    var seen: Set<String> = []
    /// The states of queues, and the reasons of stale observers, that occurred: a name of each takes long.
    var queueStates: Set<QueueState> = []
    var staleness: Set<Staleness> = []

    mutating func violate(_ what: String) {
        if violations.count < Self.violationsAtMost { violations.append(what) }
    }

    mutating func append(_ others: Findings) {
        for violation in others.violations { violate(violation) }
        seen.formUnion(others.seen)
    }
}

/// The history of a run: requests, commits, replies and device states, recorded as they happen and checked.
struct Ledger {
    struct Key: NumberedKey, CustomStringConvertible {
        let id: RequestID
        let account: AccountID
        /// Two accounts rarely have the same ID.
        var number: UInt64 { id.low }
        var description: String { "\(account)/\(id)" }
    }

    struct RequestHistory {
        /// When it was first requested, and when its end was committed, by the number of the event.
        var requestedAt: Int?
        var endedAt: Int?
        /// The batch of its end; a copy of its command from an earlier step may leave afterwards.
        var endedIn: Int?
        var content: RequestContent?
        var deadline: WallTime?
        /// The base version of its newest command.
        var base: Version?
        var isCancelled = false
        /// The user who requested it, and whether that user became a viewer before its dispatch.
        var user: Email?
        var isRevoked = false
        var isDispatched = false
        /// The states that devices reached by applying it.
        var applied: [DeviceState] = []
        var committed: Outcome?
        var sent: Outcome?
    }

    struct Stream: NumberedKey {
        let epoch: Epoch
        let account: AccountID
        var number: UInt64 { epoch.value }
    }

    /// A device, its lane, and whether clients know it.
    struct KnownDevice {
        let owner: AccountID
        /// The index of the request whose command is in flight, and of all requests in its lane.
        var inFlight: Int?
        var lane: [Int] = []
        /// Whether an update has announced it to its account, and no update its removal.
        var isShown = false
    }

    let faults: FaultConfiguration
    var findings = Findings()
    var accounts: AccountHistory
    var nodes = NodeHistory()
    var memories = DeviceMemoryHistory()
    var exchanges = ExchangeHistory()
    var reader = BatchReader()
    var devices = HashTable<DeviceID, KnownDevice>()
    private var ownedDevices: [(owner: AccountID, devices: [DeviceID])] = []
    var requests = HashTable<Key, RequestHistory>()
    /// The requests that must be applied before the end.
    private(set) var expected: [Key] = []
    /// The numbers of requests and ends, and of batches, so far.
    var time = (event: 0, batch: 0)
    var dispatched = HashTable<CommandIdentity, Void>()
    var streams = HashTable<Stream, StreamSequence>()
    var commandQueues = HashTable<Key, CommandQueueHistory>()
    /// The commands of queues by their requests, from the commit of their turn on.
    var queuedCommands = HashTable<Key, QueuedCommand>()

    init(faults: FaultConfiguration, accounts: AccountHistory) {
        (self.faults, self.accounts) = (faults, accounts)
    }

    mutating func violate(_ what: String) { findings.violate(what) }

    var seen: Set<String> {
        _read { yield findings.seen }
        _modify { yield &findings.seen }
    }

    func owner(of device: DeviceID) -> AccountID? {
        devices.index(of: device).map { devices[$0].owner }
    }

    func devices(of account: AccountID) -> [DeviceID] {
        ownedDevices.first { $0.owner == account }?.devices ?? []
    }

    mutating func added(_ device: DeviceID, of owner: AccountID) {
        guard devices.index(of: device) == nil else { return }
        _ = devices.index(of: device, default: KnownDevice(owner: owner))
        if let place = ownedDevices.firstIndex(where: { $0.owner == owner }) {
            ownedDevices[place].devices.append(device)
        } else {
            ownedDevices.append((owner, [device]))
        }
    }

    mutating func requested(_ body: ClientRequest.Body, in account: AccountID) {
        switch body {
        case .command(let command): requested(Key(id: command.requestID, account: account))
        case .service:
            if case .commandQueues(.start(let id, let plan))? = body.decoded {
                requested(plan, as: Key(id: id, account: account))
            }
        default: break
        }
    }

    mutating func requested(_ key: Key) {
        time.event += 1
        let index = requests.index(of: key, default: RequestHistory())
        if requests[index].requestedAt == nil { requests[index].requestedAt = time.event }
    }

    mutating func mustBeApplied(_ key: Key) { expected.append(key) }
    mutating func beginBatch() { time.batch += 1 }

    /// Records the entries that devices have written to their memory.
    mutating func record(_ effects: [Node.Effect]) {
        for case .remember(let entry) in effects {
            memories.record(entry, &findings)
            guard let used = entry.used, used.verdict == .applied, let owner = owner(of: entry.device) else {
                continue
            }
            let key = Key(id: used.requestID, account: owner)
            let index = requests.index(of: key, default: RequestHistory())
            requests[index].applied.append(entry.reported)
            let applied = requests[index].applied
            if applied.count > 1, !memories.wasRolledBack(entry.device, in: applied) {
                violate("\(key) was applied twice")
            }
        }
    }

    var requestCount: Int { (0..<requests.count).count { requests[$0].content != nil } }
    var appliedCount: Int { (0..<requests.count).count { !requests[$0].applied.isEmpty } }
}
