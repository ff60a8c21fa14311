import ControllerCore
import DeviceCore
import FleetProtocol
import FleetTime

/// What was promised and what was done, each seen where it happens; it says where the two differ.
struct Ledger {
    /// A request's identity.
    struct Key: Numbered, CustomStringConvertible {
        let id: RequestID
        let account: AccountID
        /// Two accounts have the same id now and then only.
        var number: UInt64 { id.low }
        var description: String { "\(account)/\(id)" }
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
    struct Stream: Numbered {
        let epoch: Epoch
        let account: AccountID
        var number: UInt64 { epoch.value }
    }

    /// A device in one life of its memory.
    struct Life: Numbered {
        let device: DeviceID
        let incarnation: Incarnation
        var number: UInt64 { incarnation.bits ^ device.bits }
    }

    /// What one life of a device was left at: its state, its sequence, its epoch, and what it was
    /// set to do by itself.
    struct Legacy {
        var state: DeviceState?
        var lastUsed: CommandSequence?
        /// The highest that it has heard of.
        var epoch = Epoch.zero
        var settings: DeviceSettings?
        /// Its memory was replaced by an older copy: what it did in between may be done and answered again.
        var hasGoneBack = false
    }

    /// What is known of a device.
    struct Known {
        let owner: AccountID
        /// Where the stories are of the command that is on its way, and of all in its lane.
        var inFlight: Int?
        var lane: [Int] = []
        /// Whether its account was told of it, and not that it is gone for good.
        var isShown = false
    }

    /// A client's message.
    struct Question {
        let life: Int
        /// How often it was heard, less how often it was answered.
        var balance = 0
        /// The device that its command is about.
        var device: DeviceID?
    }

    /// Which lives of nodes a life of the controller believed to be alive.
    struct Belief {
        /// The latest boot, by node.
        var boots = Book<Int, Int>()
        /// How many hellos it has heard from each connection.
        var hellos = Book<ConnectionID, Int>()
    }

    /// Reads what is kept.
    var reader = BatchReader()
    var violations: [String] = []
    /// Words that were heard at all: what the faults brought about.
    var seen: Set<String> = []
    var devices = Book<DeviceID, Known>()
    /// Whether deadlines mean the same in each life of the controller.
    var clocksAreRight = true
    var legacies = Book<Life, Legacy>()
    var stories = Book<Key, Story>()
    /// What has to be applied before the end.
    var expected: [Key] = []
    var batches = 0
    var clock = 0
    var dispatched = Book<CommandIdentity, Void>()
    var streams = Book<Stream, StreamSequence>()
    var sequences = Book<Key, SequenceStory>()
    /// Whose commands requests are, from when their turn was kept on.
    var commands = Book<Key, SequencePlace>()
    /// Whether ends of requests are forgotten after seconds.
    var forgetsSoon = false
    /// Which boot of a node each connection is of; boots are counted, and later ones have higher numbers.
    var boots = Book<ConnectionID, NodeBoot>()
    /// Of each life of the controller.
    var beliefs = Book<Int, Belief>()
    /// By correlation.
    var questions = Book<UInt64, Question>()

    mutating func violate(_ what: String) {
        if violations.count < 20 { violations.append(what) }
    }

    /// Whose a device is; nil where it is nowhere.
    func owner(of device: DeviceID) -> AccountID? {
        devices.place(of: device).map { devices[$0].owner }
    }

    mutating func knows(_ device: DeviceID, of owner: AccountID) {
        _ = devices.place(of: device, default: Known(owner: owner))
    }

    mutating func asked(_ key: Key) {
        clock += 1
        let place = stories.place(of: key, default: Story())
        if stories[place].askedAt == nil { stories[place].askedAt = clock }
    }

    mutating func heard(_ request: ClientRequest, in life: Int) {
        let place = questions.place(of: request.correlation, default: Question(life: life))
        questions[place].balance += 1
        if case .command(let command) = request.body { questions[place].device = command.device }
    }

    /// Whom a life has not answered hears nothing from it any more.
    mutating func lifeEnded(_ life: Int) {
        for place in 0..<questions.count where questions[place].life == life { questions[place].balance = 0 }
    }

    /// From now on nothing is in the way: this has to be applied before the end.
    mutating func mustApply(_ key: Key) {
        expected.append(key)
    }

    /// Requests that were admitted.
    var requestCount: Int { (0..<stories.count).count { stories[$0].content != nil } }

    /// Requests that took effect.
    var appliedCount: Int { (0..<stories.count).count { !stories[$0].applied.isEmpty } }
}
