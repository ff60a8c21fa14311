public import FleetProtocol
public import Stepping

/// Something that happened in a fleet, as a replica was told of it.
public struct FleetEvent: Sendable, Equatable {
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
        /// A device is new.
        case added(Device)
        /// A device is gone for good.
        case removed(Device)
        /// The connection to the controller is another.
        case connection(ConnectionState)
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

extension FleetEvent.Body {
    /// The one device it concerns; nil when it concerns several or none.
    public var device: FleetEvent.Device? {
        switch self {
        case .reported(let reported): reported.device
        case .outcome(let outcome): outcome.device
        case .presence(let device, _), .settings(let device, _), .added(let device), .removed(let device):
            device
        case .node, .connection, .measured, .stale, .resync: nil
        }
    }
}

/// Whether the controller can be reached.
public enum ConnectionState: Hashable, Sendable {
    /// A first connection, or one that was lost, is being made.
    case connecting
    /// Messages go through.
    case established
    /// The last try failed; why, in words. The next follows by itself.
    case failed(String)

    /// Its words for people.
    public var words: String {
        switch self {
        case .connecting: "connecting"
        case .established: "established"
        case .failed: "connection error"
        }
    }
}

/// Why what is shown may be out of date.
public enum Staleness: UInt8, CaseIterable, Hashable, Sendable {
    /// The first snapshot is not complete.
    case joining
    /// There is no connection to the controller.
    case disconnected
    /// Updates were lost.
    case gap
    /// Another controller, or the same one started anew, speaks.
    case otherEpoch
    /// No beat came for a second.
    case silence

    /// Its word in JSON.
    public var name: String { "\(self)" }

    /// Its words for people.
    public var words: String {
        switch self {
        case .joining: "the first snapshot is on its way"
        case .disconnected: "no connection to the controller"
        case .gap: "updates were lost"
        case .otherEpoch: "the controller was started anew"
        case .silence: "nothing heard for a second"
        }
    }
}
