import FleetProtocol
import RawPeers

/// The attacks on `stream`, which accepts subscriptions only.
extension AttackSource {
    /// Bytes to subscribe to; at most as many as libzmq matches.
    mutating func prefix() -> [UInt8] {
        switch number(0...3) {
        case 0: Array("u/account-\(number(0...999))/".utf8)
        case 1: [0, 0xff] + noise(0...10)
        // As long as a ticket.
        case 2: noise(32...32)
        default: noise(1...200)
        }
    }

    /// A subscriber whose bytes are not libzmq's: unknown beginnings, topics without a subscription, many
    /// frames.
    mutating func subscriber() -> Attack {
        guard number(0...1) == 0 else { return brokenTransport(as: "SUB", payload: noise(0...9)) }
        // None is too long: with one that is, libzmq drops the bytes right before it.
        let messages = [UInt8].repeated(10) {
            ZMTP.frame(oneOf([noise(0...60), [0] + noise(0...60)])) + nonsense()
        }
        return Attack(kind: .subscription, connection: .raw(messages, as: "SUB"), answers: nil)
    }

    private mutating func nonsense() -> [UInt8] {
        .repeated(12) { ZMTP.frame(noise(0...9), hasMore: true) } + ZMTP.frame([])
    }
}
