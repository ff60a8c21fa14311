import FleetTime

/// What lies between a party and the controller: each way can be cut or clogged, and the other not.
struct Cable {
    /// One way.
    struct Way {
        /// What is sent is lost until then.
        var cutUntil = MonotonicTime.zero
        /// What is sent piles up, and arrives in its order then.
        var cloggedUntil = MonotonicTime.zero
    }

    var toController = Way()
    var fromController = Way()

    /// Which way.
    enum Direction {
        case toController
        case fromController
    }

    /// One of the two.
    subscript(direction: Direction) -> Way {
        switch direction {
        case .toController: toController
        case .fromController: fromController
        }
    }

    /// Whether nothing passes, in either direction.
    func isCut(at now: MonotonicTime) -> Bool {
        toController.cutUntil > now && fromController.cutUntil > now
    }
}
