public import FleetTime

/// What the controller tells everybody who watches an account.
public struct StreamUpdate: Sendable, Equatable {
    /// The kinds of update.
    public enum Body: Sendable, Equatable {
        /// Nothing new; the sequence is the last one's.
        case beat
        /// A device has another state, version or incarnation, and by what.
        case reported(DeviceID, DeviceState, by: ChangeCause = .request)
        /// Several devices have: at most ``Limits/updateDevices``, in the order of the changes.
        ///
        /// One that has changed twice is there twice.
        case reports([ReportedDevice])
        /// A device lost or found its own connection.
        case connection(DeviceID, isConnected: Bool)
        /// A node, and every device in it, came or went; with the number of the account's devices there.
        case node(SnapshotChunk.Node, devices: UInt32)
        /// A request ended.
        case outcome(OutcomeReport)
        /// A device is new, or has another place, name or group.
        case added(SnapshotChunk.Row)
        /// A device is gone for good.
        case removed(DeviceID)
        /// Pods have measured: at most ``Limits/chunkRows``.
        case measured([MeasuredDevice])
        /// Somebody has set a device to do something by itself, or it has done it: all that it is set to now.
        case settings(DeviceID, DeviceSettings)
        /// A group is new; its number stays its own for as long as the epoch lasts.
        case group(SnapshotChunk.Group)
        /// An update of an account service.
        case service(ServiceMessage)
    }

    /// The controller's start number.
    public let epoch: Epoch
    /// Gapless within the epoch, from 1.
    public let sequence: StreamSequence
    /// When the controller knew.
    public let at: WallTime
    /// What is new.
    public let body: Body
    /// Whether this is the stream's last update, because the session of its ticket has ended.
    public let isLast: Bool

    /// How many devices' news it is; 1 where it is no device's.
    public var changeCount: Int {
        switch body {
        case .reports(let devices): devices.count
        case .measured(let devices): devices.count
        case .beat, .reported, .connection, .node, .outcome, .added, .removed, .group, .settings, .service: 1
        }
    }

    /// The update of those parts.
    public init(
        epoch: Epoch, sequence: StreamSequence, at: WallTime, body: Body, isLast: Bool = false
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.at = at
        self.body = body
        self.isLast = isLast
    }
}

/// A ticket to an account's stream, and the prefix of the topics of its updates.
///
/// A peer of `stream` subscribes to both: the ticket opens the stream, and the prefix selects its updates.
///
/// Its description never shows the ticket.
public struct StreamTicket: Sendable, Equatable, CustomStringConvertible {
    /// 32 random bytes, a secret as a session's token is.
    public let ticket: Token
    /// The account's topic: 1 to ``Limits/topicBytes`` bytes.
    public let topic: [UInt8]

    /// The ticket of those parts.
    public init(ticket: Token, topic: [UInt8]) {
        self.ticket = ticket
        self.topic = topic
    }

    /// The topic; never the ticket.
    public var description: String { "ticket to \(String(decoding: topic, as: UTF8.self))" }
}
