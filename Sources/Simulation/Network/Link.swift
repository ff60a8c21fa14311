import FleetProtocol

/// The link between a party and the controller: each direction can be cut or clogged independently.
struct Link {
    struct Direction {
        /// Packets that are sent before this time are lost.
        var cutUntil = MonotonicTime.zero
        /// Packets that are sent before this time are held, and arrive at this time in their order.
        var cloggedUntil = MonotonicTime.zero
    }

    enum Way {
        case toController
        case fromController
    }

    var toController = Direction()
    var fromController = Direction()

    subscript(way: Way) -> Direction {
        get {
            switch way {
            case .toController: toController
            case .fromController: fromController
            }
        }
        set {
            switch way {
            case .toController: toController = newValue
            case .fromController: fromController = newValue
            }
        }
    }

    /// Whether both directions are cut.
    func isCut(at now: MonotonicTime) -> Bool {
        toController.cutUntil > now && fromController.cutUntil > now
    }
}

/// A process with a link to the controller, by its index among its kind.
enum Party: Hashable {
    case node(Int)
    case client(Int)
    case observer(Int)
    /// The subscription of an observer, which shares the observer's link.
    case stream(Int)
}
