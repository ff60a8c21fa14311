public import FleetProtocol

/// A change of the fleet or of the replica itself.
public struct FleetEvent: Sendable, Equatable {
    /// The kinds of event.
    public enum Body: Sendable, Equatable {
        /// A device has a new state.
        case reported(Reported)
        /// A device lost or regained its own connection.
        case presence(Device, Presence)
        /// The presence of a node, and so of every device in it, changed.
        case node(NodeChange)
        /// A request ended; indirect, so that the other cases stay small.
        indirect case outcome(Outcome)
        /// A device is new.
        case added(Device)
        /// A device has left the fleet for good.
        case removed(Device)
        /// The state of the connection to the controller changed.
        case connection(ConnectionState)
        /// The replica may be out of date from now on.
        case stale(Staleness)
        /// The replica is up to date again.
        case resync(Resync)
        /// Pods took measurements; unknown devices may be among them.
        case measured([MeasuredDevice])
        /// The settings of a device changed; the value has all current settings.
        case settings(Device, DeviceSettings)
        /// An account service has published an update; a replica does not store its content.
        case service(ServiceMessage)
    }

    /// A device with its ID, name and node.
    public struct Device: Sendable, Equatable {
        /// The device ID.
        public let id: DeviceID
        /// The display name, unmodified; nil if it is not known.
        public let name: String?
        /// Its node; nil if it is not known.
        public let node: NodeName?

        /// A device of those values.
        public init(id: DeviceID, name: String?, node: NodeName?) {
            (self.id, self.name, self.node) = (id, name, node)
        }
    }

    /// A device's new state.
    public struct Reported: Sendable, Equatable {
        /// The device.
        public let device: Device
        /// Its state.
        public let state: DeviceState
        /// The cause of the last change.
        public let cause: ChangeCause
        /// Whether it comes from a snapshot, because the update was lost.
        public let isRepair: Bool

        /// A report of those values.
        public init(device: Device, state: DeviceState, cause: ChangeCause = .request, isRepair: Bool) {
            (self.device, self.state, self.cause, self.isRepair) = (device, state, cause, isRepair)
        }
    }

    /// A change of a node's presence.
    public struct NodeChange: Sendable, Equatable {
        /// The node.
        public let node: NodeName
        /// Its presence now.
        public let presence: Presence
        /// The number of the account's devices there; ``Replica/forEachRow(ofNode:_:)`` gives them.
        public let devices: Int

        /// A change of those values.
        public init(node: NodeName, presence: Presence, devices: Int) {
            (self.node, self.presence, self.devices) = (node, presence, devices)
        }
    }

    /// The end of a request.
    public struct Outcome: Sendable, Equatable {
        /// The report of its outcome.
        public let report: OutcomeReport
        /// Its device; nil for a request that was cancelled before it arrived.
        public let device: Device?
        /// The device's state before; nil if it is not known.
        public let before: ACState?

        /// An outcome of those values.
        public init(report: OutcomeReport, device: Device?, before: ACState?) {
            (self.report, self.device, self.before) = (report, device, before)
        }
    }

    /// The end of a replica's staleness.
    public struct Resync: Sendable, Equatable {
        /// The number of devices.
        public let devices: Int
        /// The position in the stream.
        public let position: StreamPosition
        /// Whether it is the first resync.
        public let isFirst: Bool
        /// The duration of the staleness; zero for the first resync.
        public let staleFor: Duration

        /// The resync of those values.
        public init(devices: Int, position: StreamPosition, isFirst: Bool, staleFor: Duration) {
            (self.devices, self.position) = (devices, position)
            (self.isFirst, self.staleFor) = (isFirst, staleFor)
        }
    }

    /// The controller's time of the change, or the replica's own.
    public let at: WallTime
    /// The content of the event.
    public let body: Body

    /// An event at that time.
    public init(at: WallTime, _ body: Body) { (self.at, self.body) = (at, body) }
}

extension FleetEvent.Body {
    /// The device that it concerns; nil for several devices or none.
    public var device: FleetEvent.Device? {
        switch self {
        case .reported(let reported): reported.device
        case .outcome(let outcome): outcome.device
        case .presence(let device, _), .settings(let device, _), .added(let device), .removed(let device):
            device
        case .node, .connection, .measured, .stale, .resync, .service: nil
        }
    }
}

/// The state of the connection to the controller.
public enum ConnectionState: Hashable, Sendable {
    /// The first connection, or one after a loss, is being made.
    case connecting
    /// The connection is established.
    case established
    /// The last attempt failed, for that reason. The client tries again.
    case failed(String)

    /// The description for users.
    public var text: String {
        switch self {
        case .connecting: "connecting"
        case .established: "established"
        case .failed: "connection error"
        }
    }
}

/// Why a replica may be out of date.
public enum Staleness: UInt8, CaseIterable, Hashable, Sendable {
    /// The first snapshot is not complete.
    case joining
    /// The connection to the controller is lost.
    case disconnected
    /// Updates were lost.
    case gap
    /// Messages come from another epoch of the controller.
    case otherEpoch
    /// No update came for a second.
    case silence

    /// The name in JSON.
    public var name: String { "\(self)" }

    /// The description for users.
    public var text: String {
        switch self {
        case .joining: "loading the first snapshot"
        case .disconnected: "no connection to the controller"
        case .gap: "updates were lost"
        case .otherEpoch: "the controller was restarted"
        case .silence: "no update for a second"
        }
    }
}
