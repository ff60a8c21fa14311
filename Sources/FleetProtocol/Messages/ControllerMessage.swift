/// What the controller tells a node.
public struct ControllerMessage: Sendable, Equatable {
    /// The kinds of message.
    public enum Body: Sendable, Equatable {
        /// The answer to a hello or a ping; a stranger, or another boot than the last, is asked to say hello.
        case pong(helloWanted: Bool)
        /// Asks for rows of changes above a number, from a slot on; each chunk repeats the pull's own number.
        case pull(since: ChangeNumber, cursor: UInt32, number: UInt64 = 0)
        /// Has a device changed.
        case command(DeviceCommand)
        /// Has a device change its settings; few commands do, so that the others stay short.
        indirect case configure(DeviceCommand, SettingChange)
        /// Takes a command back.
        case abort(CommandIdentity)
        /// Makes something go wrong with devices; the delay is that of ``Fault/slow``.
        case fault(Fault, devices: [DeviceID], duration: Duration, delay: Duration = .zero)
        /// These devices belong to another node that is alive.
        case taken([DeviceID])
        /// Ends what goes wrong with devices, or with all of the node's where none is named.
        case heal(OrderID, devices: [DeviceID])
        /// Has the node go on with another scenario: a name, or a file's absolute path.
        case scenario(OrderID, String)
        /// These devices, the node's last, are there no more.
        case retire(OrderID, devices: [DeviceID])
        /// Requests the active faults of the node's devices.
        case listFaults(OrderID)
        /// These devices do not remember what the controller has seen of them, or remember an epoch that
        /// cannot be: each begins a new incarnation, if its memory is so. ``Limits/renewedDevices`` at most.
        case renew([SeenDevice])
    }

    /// The controller's start number: the fencing token.
    public let epoch: Epoch
    /// What is said.
    public let body: Body

    /// The message of those parts.
    public init(epoch: Epoch, body: Body) {
        self.epoch = epoch
        self.body = body
    }
}

/// Which command: the device, the life of its memory, the sequence and the request.
public struct CommandIdentity: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The life of its memory that is meant.
    public let incarnation: Incarnation
    /// The command's number.
    public let sequence: CommandSequence
    /// The intention behind it.
    public let requestID: RequestID

    /// The identity of those parts.
    public init(device: DeviceID, incarnation: Incarnation, sequence: CommandSequence, requestID: RequestID) {
        self.device = device
        self.incarnation = incarnation
        self.sequence = sequence
        self.requestID = requestID
    }
}

/// How far the controller has seen the memory of a device get.
public struct SeenDevice: Hashable, Sendable {
    /// The device.
    public let device: DeviceID
    /// The incarnation that is meant.
    public let incarnation: Incarnation
    /// The newest version of that incarnation that was seen.
    public let version: Version

    /// The device of those values.
    public init(device: DeviceID, incarnation: Incarnation, version: Version) {
        self.device = device
        self.incarnation = incarnation
        self.version = version
    }
}

/// One absolute command to one device.
public struct DeviceCommand: Hashable, Sendable {
    /// Which command.
    public var identity: CommandIdentity
    /// What shall be set; empty where it comes with a change of settings.
    public let change: ACStateChange
    /// Only if the device is at this version; nil: whatever it is at.
    public var base: Version?
    /// How much longer the command may run, from its receipt.
    public let timeToLive: Duration
    /// Whether it changes only what the device assumes, and no signal is sent to its air conditioner.
    public let isCorrection: Bool
    /// How long the device is busy with it before it judges it, milliseconds, on top of what it takes anyway.
    public let takesMs: UInt32

    /// How long the device is busy with it before it judges it.
    public var takes: Duration { .milliseconds(Int64(takesMs)) }

    /// The command of those parts.
    public init(
        identity: CommandIdentity, change: ACStateChange, base: Version?, timeToLive: Duration,
        isCorrection: Bool = false, takesMs: UInt32 = 0
    ) {
        self.identity = identity
        self.change = change
        self.base = base
        self.timeToLive = timeToLive
        self.isCorrection = isCorrection
        self.takesMs = takesMs
    }
}
