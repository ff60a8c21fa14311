import Bus
import ControllerCore

extension ConnectionID {
    init(_ peer: RoutingID) {
        self.init(high: peer.words.0, low: peer.words.1)
    }
}

extension RoutingID {
    init(_ connection: ConnectionID) {
        self.init(words: (connection.high, connection.low))
    }
}
