/// An update that the controller publishes to the observers of an account.
public struct StreamUpdate: Sendable, Equatable {
    /// The kinds of update.
    public enum Body: Sendable, Equatable {
        /// A heartbeat; its sequence number is that of the last update.
        case beat
        /// A device has another state, version or incarnation, with the cause.
        case reported(DeviceID, DeviceState, by: ChangeCause = .request)
        /// Several devices have changed: at most ``Limits/updateDevices``, in the order of the changes.
        ///
        /// A device that has changed twice is listed twice.
        case reports([ReportedDevice])
        /// A device lost or regained its own connection.
        case connection(DeviceID, isConnected: Bool)
        /// The presence of a node and its devices changed; with the number of the account's devices on it.
        case node(SnapshotChunk.Node, devices: UInt32)
        /// A request ended.
        case outcome(OutcomeReport)
        /// A device is new, or has another node, name or group.
        case added(SnapshotChunk.Row)
        /// A device was removed permanently.
        case removed(DeviceID)
        /// New measurements of pods: at most ``Limits/chunkRows``.
        case measured([MeasuredDevice])
        /// The automatic settings of a device changed, by a user or because they ran; the new settings.
        case settings(DeviceID, DeviceSettings)
        /// A group is new; its number stays valid for the whole epoch.
        case group(SnapshotChunk.Group)
        /// An update of an account service.
        case service(ServiceMessage)
    }

    /// The controller's start number.
    public let epoch: Epoch
    /// The sequence number, gapless within the epoch, from 1.
    public let sequence: StreamSequence
    /// The time of the update at the controller.
    public let at: WallTime
    /// The content.
    public let body: Body
    /// Whether this is the stream's last update, because the session of its ticket has ended.
    public let isLast: Bool

    /// The number of devices that the update concerns; 1 for an update that concerns none.
    public var changeCount: Int {
        switch body {
        case .reports(let devices): devices.count
        case .measured(let devices): devices.count
        case .beat, .reported, .connection, .node, .outcome, .added, .removed, .group, .settings, .service: 1
        }
    }

    /// An update with the given values.
    public init(epoch: Epoch, sequence: StreamSequence, at: WallTime, body: Body, isLast: Bool = false) {
        (self.epoch, self.sequence, self.at) = (epoch, sequence, at)
        (self.body, self.isLast) = (body, isLast)
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

    /// A ticket with the given values.
    public init(ticket: Token, topic: [UInt8]) { (self.ticket, self.topic) = (ticket, topic) }

    /// The topic; never the ticket.
    public var description: String { "ticket to \(String(decoding: topic, as: UTF8.self))" }
}
