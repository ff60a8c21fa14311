import FleetProtocol
import ProcessSupport
import RawPeers

/// Generates attacks from a seed, one after another; those of each socket are in extensions.
struct AttackSource {
    /// What an intruder knows: a session, and the fleet's devices.
    struct Loot: Sendable {
        let token: Token
        /// Devices that honest clients toggle, each with its incarnation.
        let devices: [(id: DeviceID, incarnation: Incarnation)]
        /// The key for tokens of nodes; the attacker's nodes have tokens, of their own account.
        let nodes: NodeSecret
        /// A device that only the attacker uses.
        let abused: (id: DeviceID, incarnation: Incarnation)
    }

    static let node: [NodeName] = ["evil-1", "evil-2"].compactMap { NodeName($0) }
    static let account = AccountID("evil")

    let loot: Loot
    /// More bytes than any message has.
    ///
    /// Making them for each message would be most of the attackers' work.
    private let chaos: [UInt8]
    var generator: SeededGenerator
    /// An honest request, as new as possible.
    var honest = RequestID(high: 0, low: 0)
    var now = WallTime(unixMilliseconds: 0)

    init(seed: UInt64, loot: Loot) {
        self.loot = loot
        var generator = SeededGenerator(seed: seed)
        chaos = (0..<1 << 17).map { _ in UInt8.random(in: 0...255, using: &generator) }
        self.generator = generator
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &generator)
    }

    mutating func oneOf<Value>(_ values: [Value]) -> Value {
        values[number(0...values.count - 1)]
    }

    /// Random bytes.
    mutating func noise(_ counts: ClosedRange<Int>) -> [UInt8] {
        let count = number(counts)
        return Array(chaos.dropFirst(number(0...chaos.count - count)).prefix(count))
    }

    mutating func honestDevice() -> (id: DeviceID, incarnation: Incarnation) {
        oneOf(loot.devices)
    }

    mutating func freshID() -> RequestID {
        RequestID(at: now, using: &generator)
    }

    /// Bytes of no protocol, or that begin as one and break off, or never end; for any socket.
    mutating func brokenTransport(as socketType: String, payload: [UInt8]) -> Attack {
        let longName = ZMTP.ready(socketType, ZMTP.property("Identity", [7] + noise(254...254)))
        let shaken = ZMTP.greeting + ZMTP.ready(socketType)
        let bytes: [UInt8] =
            switch number(0...7) {
            case 0: noise(1...2_000)
            case 1: Array(ZMTP.greeting.prefix(number(1...63)))
            case 2: ZMTP.greeting + longName.prefix(number(1...longName.count - 1))
            case 3: ZMTP.greeting + ZMTP.ready("NONSENSE")
            case 4: shaken + ZMTP.promise(of: oneOf([1_000, 65_537, .max]))
            case 5: shaken + .repeated(100) { ZMTP.frame(payload, hasMore: true) }
            case 6: shaken + ZMTP.frame(noise(0...100), isCommand: true)
            default: ZMTP.greeting + longName + ZMTP.frame(noise(0...3)) + noise(0...9)
            }
        return Attack(kind: .transport, connection: .raw(bytes), answers: nil)
    }
}
