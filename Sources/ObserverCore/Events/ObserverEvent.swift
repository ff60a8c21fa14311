public import FleetProtocol
public import Stepping

/// Something that a person or a script is told.
public struct ObserverEvent: Sendable, Equatable {
    /// The kinds of event.
    public enum Body: Sendable, Equatable {
        /// A device has another state.
        case reported(Reported)
        /// A device lost or found its own connection.
        case presence(Device, Presence)
        /// A node, and every device in it, came or went.
        case node(NodeChange)
        /// A request ended; apart from the others, which would else each have room for it.
        indirect case outcome(Outcome)
        /// Something worth a line.
        case notice(Notice)
        /// What is shown may be out of date from now on.
        case stale(Staleness)
        /// What is shown is right again.
        case resync(Resync)
        /// Pods have measured; devices that the replica does not know are among them.
        case measured([MeasuredDevice])
        /// A device is set to do something else by itself, or has done it: all that it is set to now.
        case settings(Device, DeviceSettings)
    }

    /// A device by all its names.
    public struct Device: Sendable, Equatable {
        /// Its id.
        public let id: DeviceID
        /// Its name for people, as it was given; nil when it is not known.
        public let name: String?
        /// Its node; nil when it is not known.
        public let node: NodeName?

        /// The device of those names.
        public init(id: DeviceID, name: String?, node: NodeName?) {
            self.id = id
            self.name = name
            self.node = node
        }
    }

    /// A device's other state.
    public struct Reported: Sendable, Equatable {
        /// The device.
        public let device: Device
        /// Its state.
        public let state: DeviceState
        /// What last changed it.
        public let cause: ChangeCause
        /// Whether a snapshot told it, because the update was lost.
        public let isRepair: Bool

        /// The change of those parts.
        public init(device: Device, state: DeviceState, cause: ChangeCause = .request, isRepair: Bool) {
            self.device = device
            self.state = state
            self.cause = cause
            self.isRepair = isRepair
        }
    }

    /// A node that came or went.
    public struct NodeChange: Sendable, Equatable {
        /// The node.
        public let node: NodeName
        /// How it is now.
        public let presence: Presence
        /// How many of the account's devices live there; ``Replica/forEachRow(ofNode:_:)`` gives them.
        public let devices: Int

        /// The change of those parts.
        public init(node: NodeName, presence: Presence, devices: Int) {
            self.node = node
            self.presence = presence
            self.devices = devices
        }
    }

    /// A request's end.
    public struct Outcome: Sendable, Equatable {
        /// How it ended.
        public let report: OutcomeReport
        /// Its device; nil for an id that was cancelled before its request arrived.
        public let device: Device?
        /// The device's settings before; nil when they were not seen.
        public let before: ACState?

        /// The end of those parts.
        public init(report: OutcomeReport, device: Device?, before: ACState?) {
            self.report = report
            self.device = device
            self.before = before
        }
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

    /// What is worth a line and is nothing else.
    public enum Notice: Sendable, Equatable {
        /// A device is new.
        case added(Device)
        /// A device is gone for good.
        case removed(Device)
        /// The connection to the controller is another.
        case connection(ConnectionPhase)
        /// The controller does not know the session; what to do.
        case signedOut(String)
        /// The session is good again.
        case signedIn
        /// What was waited for holds; the device that it holds of, where it is one, and the condition.
        case held(Device?, String)
        /// What ended before the observer came follows, or could not be asked for.
        case history(History?)
    }

    /// A replica that is right again.
    public struct Resync: Sendable, Equatable {
        /// How many devices there are.
        public let devices: Int
        /// The place in the stream.
        public let position: StreamPosition
        /// Whether it is the first time.
        public let isFirst: Bool
        /// How long it was stale; zero the first time.
        public let staleFor: Duration

        /// The resync of those values.
        public init(devices: Int, position: StreamPosition, isFirst: Bool, staleFor: Duration) {
            self.devices = devices
            self.position = position
            self.isFirst = isFirst
            self.staleFor = staleFor
        }
    }

    /// When the controller knew, or when it was noticed here.
    public let at: WallTime
    /// What it is.
    public let body: Body

    /// The event of that time.
    public init(at: WallTime, _ body: Body) {
        self.at = at
        self.body = body
    }
}
