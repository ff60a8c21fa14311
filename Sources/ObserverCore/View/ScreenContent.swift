public import FleetProtocol
public import Wording

/// All that a screen shows, as values.
public struct ScreenContent: Sendable, Equatable {
    /// A device's row.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: ObserverEvent.Device
        /// Its state.
        public let state: DeviceState
        /// Its presence.
        public let presence: Presence
        /// How long ago its state was heard of.
        public let age: Duration
        /// Whether it is selected.
        public let isSelected: Bool
    }

    /// How the replica does.
    public struct Status: Sendable, Equatable {
        /// The connection to the controller.
        public let connection: ConnectionPhase
        /// How many devices there are.
        public let devices: Int
        /// How many of them are online.
        public let online: Int
        /// Updates in the last full second.
        public let updatesPerSecond: UInt64
        /// Updates known of that are not shown yet.
        public let behind: UInt64
        /// Why what is shown may be out of date; nil when it is not.
        public let staleness: Staleness?
        /// For how long; nil when it is right, or never was.
        public let staleFor: Duration?
        /// Updates since the screen stands still; nil while it moves.
        public let pausedBy: UInt64?
    }

    /// Whose devices they are.
    public let account: String
    /// The sort order.
    public let sort: TableSort
    /// The filter.
    public let filter: DeviceFilter
    /// Whether the filter is being typed.
    public let isTyping: Bool
    /// Whether only what is not online is shown.
    public let isFaultsOnly: Bool
    /// Whether the keys are shown in place of the table.
    public let showsHelp: Bool
    /// The rows on the screen.
    public let rows: [Row]
    /// How many rows are above them.
    public let firstRow: Int
    /// How many rows there are in all.
    public let rowCount: Int
    /// The newest messages, oldest first.
    public let messages: [EventLine]
    /// How far east of UTC the person is.
    public let eastOfUTC: Duration
    /// The status.
    public let status: Status
}
