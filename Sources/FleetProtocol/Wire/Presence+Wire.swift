import Stepping
import SwiftProtobuf

extension Presence {
    init(wire: Sensibus_V1_Presence) throws(WireError) {
        let kind: Kind
        switch wire.kind {
        case .online: kind = .online
        case .stale: kind = .stale
        case .unknown: kind = .unknown
        case .offline:
            switch wire.reason {
            case .disconnected: kind = .offline(.disconnected)
            case .nodeLeft: kind = .offline(.nodeLeft)
            case .nodeLost: kind = .offline(.nodeLost)
            case .unspecified, .UNRECOGNIZED: throw .malformed("presence.reason", "a reason")
            }
        case .unspecified, .UNRECOGNIZED: throw .malformed("presence.kind", "a presence")
        }
        self.init(kind, since: WallTime(wireMilliseconds: wire.sinceMs))
    }

    var wire: Sensibus_V1_Presence {
        .with {
            $0.sinceMs = since.unixMilliseconds
            switch kind {
            case .online: $0.kind = .online
            case .stale: $0.kind = .stale
            case .unknown: $0.kind = .unknown
            case .offline(let reason):
                $0.kind = .offline
                switch reason {
                case .disconnected: $0.reason = .disconnected
                case .nodeLeft: $0.reason = .nodeLeft
                case .nodeLost: $0.reason = .nodeLost
                }
            }
        }
    }
}
