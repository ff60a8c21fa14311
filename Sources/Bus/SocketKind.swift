internal import CZMQ

/// What a socket does with the messages it is given.
public enum SocketKind: Hashable, Sendable, CaseIterable, CustomStringConvertible {
    /// Sends each message to the peers that subscribed to its prefix; drops it for a peer that is full.
    case pub
    /// Receives the messages whose prefix it subscribed to.
    case sub
    /// A PUB that receives its peers' subscriptions: byte 1 and the prefix, or byte 0 to unsubscribe.
    case xpub
    /// Receives from many peers, each message behind its sender's routing id, and sends to one by that id.
    case router
    /// Sends to its peers in turn and receives from all.
    case dealer
    /// Sends a request, then receives its reply, in lock-step.
    case req
    /// Sends to its peers in turn.
    case push
    /// Receives from all its peers.
    case pull
    /// Sends to and receives from exactly one peer.
    case pair

    /// The name as ZeroMQ writes it: `ROUTER`.
    public var description: String {
        switch self {
        case .pub: "PUB"
        case .sub: "SUB"
        case .xpub: "XPUB"
        case .router: "ROUTER"
        case .dealer: "DEALER"
        case .req: "REQ"
        case .push: "PUSH"
        case .pull: "PULL"
        case .pair: "PAIR"
        }
    }

    /// libzmq's number for the kind.
    var number: Int32 {
        switch self {
        case .pub: ZMQ_PUB
        case .sub: ZMQ_SUB
        case .xpub: ZMQ_XPUB
        case .router: ZMQ_ROUTER
        case .dealer: ZMQ_DEALER
        case .req: ZMQ_REQ
        case .push: ZMQ_PUSH
        case .pull: ZMQ_PULL
        case .pair: ZMQ_PAIR
        }
    }
}
