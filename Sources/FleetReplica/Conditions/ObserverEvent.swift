public import FleetProtocol
import UserText

/// An event that the observer shows or prints: an event of the fleet, or a notice of the observer.
public struct ObserverEvent: Sendable, Equatable {
    /// The kinds of event.
    public enum Body: Sendable, Equatable {
        case fleet(FleetEvent.Body)
        case notice(Notice)
    }

    /// A notice about the observer's session, history and conditions.
    public enum Notice: Sendable, Equatable {
        /// The controller does not know the session; the text says what to do.
        case signedOut(String)
        /// The session is valid again.
        case signedIn
        /// An awaited condition holds: the device that satisfies it, if it is a single one, and its text.
        case held(FleetEvent.Device?, String)
        /// The outcomes from before the observer started follow; nil if the controller did not send them.
        case history(History?)
    }

    /// The extent of the outcomes from before the observer started.
    public struct History: Sendable, Equatable {
        /// The length of the requested time span.
        public let back: Duration
        /// The number of outcomes that follow.
        public let ends: Int
        /// The number of outcomes omitted beyond ``LookBack/limit``.
        public let omitted: Int
        /// Outcomes of requests made before this time may be missing; nil if the span is complete.
        public let completeSince: WallTime?

        /// The history of those values.
        public init(back: Duration, ends: Int, omitted: Int, completeSince: WallTime?) {
            (self.back, self.ends, self.omitted, self.completeSince) = (back, ends, omitted, completeSince)
        }
    }

    /// The time at which the controller or, for a notice, the observer recorded it.
    public let at: WallTime
    /// The content of the event.
    public let body: Body

    /// An event of the fleet.
    public init(_ event: FleetEvent) { self.init(at: event.at, event.body) }

    /// An event of the fleet with its time.
    public init(at: WallTime, _ body: FleetEvent.Body) {
        self.at = at
        self.body = .fleet(body)
    }

    /// A notice with its time.
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
    /// The device's name or ID in lines for people.
    public var label: String { SafeText.label(name, of: id) }
}
