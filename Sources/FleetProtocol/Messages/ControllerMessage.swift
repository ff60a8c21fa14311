extension ControllerMessage {
    /// The kinds of message.
    public enum Body: Sendable, Equatable {
        /// The answer to a hello or a heartbeat; an unknown node, or one with a new boot ID, must say hello.
        case pong(helloWanted: Bool)
        /// Requests rows with change numbers above one, from a slot on; each chunk repeats the pull's number.
        case pull(since: ChangeNumber, cursor: UInt32, number: UInt64 = 0)
        /// Changes a device.
        case command(DeviceCommand)
        /// Changes a device's settings; a separate case, because few commands do, so the others stay short.
        indirect case configure(DeviceCommand, SettingChange)
        /// Aborts a command.
        case abort(CommandIdentity)
        /// Injects a fault into devices; the delay is that of ``Fault/slow``.
        case fault(Fault, devices: [DeviceID], duration: Duration, delay: Duration = .zero)
        /// The named devices belong to another node that is online.
        case claimsRefused([DeviceID])
        /// Ends the faults of devices, or of all of the node's devices if none is named.
        case heal(OrderID, devices: [DeviceID])
        /// Switches the node to another scenario: a name, or a file's absolute path.
        ///
        /// Its first day began at that time, or when the node receives the order.
        case scenario(OrderID, String, beganAt: WallTime?)
        /// Removes the named devices, which are the node's last.
        case retire(OrderID, devices: [DeviceID])
        /// Requests the active faults of the node's devices.
        case listFaults(OrderID)
        /// The memory of the named devices is older than what the controller has seen, or has an implausible
        /// epoch: each begins a new incarnation if that is so. At most ``Limits/renewedDevices``.
        case renew([SeenDevice])
        /// The account of the node is in that cell now: the answer to a hello.
        case moved(CellName)
        /// Another process of the node runs, and the devices belong to it: the answer to a hello.
        case refused(NodeRun)
    }
}

/// One absolute command to one device.
public struct DeviceCommand: Hashable, Sendable {
    /// The identity of the command.
    public var identity: CommandIdentity
    /// The change; empty if the command changes settings.
    public let change: ACStateChange
    /// The version that the device must have; nil for any version.
    public var base: Version?
    /// The remaining time of the command, from its receipt.
    public let timeToLive: Duration
    /// Whether the command only corrects the assumed state, without a signal to the air conditioner.
    public let isCorrection: Bool
    /// How long the command occupies the device before it is executed, in milliseconds, on top of the usual
    /// time.
    public let takesMs: UInt32

    /// How long the command occupies the device before it is executed.
    public var takes: Duration { .milliseconds(Int64(takesMs)) }

    /// A command with the given values.
    public init(
        identity: CommandIdentity, change: ACStateChange, base: Version?, timeToLive: Duration,
        isCorrection: Bool = false, takesMs: UInt32 = 0
    ) {
        (self.identity, self.change, self.base) = (identity, change, base)
        (self.timeToLive, self.isCorrection, self.takesMs) = (timeToLive, isCorrection, takesMs)
    }
}
