public import FleetReplica
public import Stepping
import Wording

/// Something that a person or a script is told: an event of the fleet, or a notice of the observer itself.
public struct ObserverEvent: Sendable, Equatable {
    /// The kinds of event.
    public enum Body: Sendable, Equatable {
        /// An event of the fleet.
        case fleet(FleetEvent.Body)
        /// A notice of the observer.
        case notice(Notice)
    }

    /// What an observer reports of its own session, history and conditions.
    public enum Notice: Sendable, Equatable {
        /// The controller does not know the session; what to do.
        case signedOut(String)
        /// The session is good again.
        case signedIn
        /// What was waited for holds; the device that it holds of, where it is one, and the condition.
        case held(FleetEvent.Device?, String)
        /// What ended before the observer came follows, or could not be asked for.
        case history(History?)
    }

    /// How far the ends reach that are told of the time before an observer came.
    public struct History: Sendable, Equatable {
        /// How far back was asked.
        public let back: Duration
        /// How many ends follow.
        public let ends: Int
        /// How many there were beyond ``LookBack/limit``.
        public let leftOut: Int
        /// Of requests made up to then some are forgotten; nil: of none in that time.
        public let completeSince: WallTime?

        /// The history of those values.
        public init(back: Duration, ends: Int, leftOut: Int, completeSince: WallTime?) {
            self.back = back
            self.ends = ends
            self.leftOut = leftOut
            self.completeSince = completeSince
        }
    }

    /// When the controller knew, or when it was noticed here.
    public let at: WallTime
    /// What it is.
    public let body: Body

    /// An event of the fleet.
    public init(_ event: FleetEvent) {
        self.init(at: event.at, event.body)
    }

    /// An event of the fleet at that time.
    public init(at: WallTime, _ body: FleetEvent.Body) {
        self.at = at
        self.body = .fleet(body)
    }

    /// A notice at that time.
    public init(at: WallTime, _ notice: Notice) {
        self.at = at
        body = .notice(notice)
    }

    /// The one device it concerns; nil when it concerns several or none.
    public var device: FleetEvent.Device? {
        switch body {
        case .fleet(let body): body.device
        case .notice(.held(let device, _)): device
        case .notice(.signedOut), .notice(.signedIn), .notice(.history): nil
        }
    }
}

extension FleetEvent.Device {
    /// What it is called in lines for people.
    public var label: String { SafeText.label(name, of: id) }
}
