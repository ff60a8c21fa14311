public import FleetProtocol
public import FleetReplica
import FleetTime
public import UserText

/// The content of a screen, as values.
public struct ScreenContent: Sendable, Equatable {
    /// A device's row.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: FleetEvent.Device
        /// The last reported state.
        public let state: DeviceState
        /// The presence.
        public let presence: Presence
        /// The age of the last reported state.
        public internal(set) var age: Duration
        /// The last measurements of its pod; nil without any.
        public let measured: Measurements?
        /// The temperatures of its room, oldest first, in tenths of a degree Celsius.
        public let deciCelsius: [Int16]
        /// Whether its pending toggle switches it on; nil without one.
        public let expected: Bool?
        /// Whether the row is selected.
        public let isSelected: Bool

        /// The row with the precision of the display: its age in whole seconds.
        var seen: Row {
            var row = self
            row.age = .seconds(age.wholeMilliseconds / 1_000)
            return row
        }
    }

    /// The status of the replica.
    public struct Status: Sendable, Equatable {
        /// The connection to the controller.
        public let connection: ConnectionState
        /// The number of devices.
        public let devices: Int
        /// The number of devices that are online.
        public let online: Int
        /// The updates in the last full second.
        public let updatesPerSecond: UInt64
        /// The known updates that are not shown yet: missing ones, and received ones that were not applied.
        public let behind: UInt64
        /// Why the replica may be out of date; nil if it is current.
        public let staleness: Staleness?
        /// For how long it may have been out of date; nil if it is current, or never was.
        public let staleFor: Duration?
        /// The updates since the screen was paused; nil if it is not paused.
        public let pausedBy: UInt64?
        /// The number of pending toggles.
        public let pending: Int
        /// The condition at which the screen ends, sanitized; nil for none.
        public let awaited: String?
        /// The URL of the fleet's page, sanitized; nil if unknown.
        public let page: String?

        /// Whether the screen shows only the last known state, because the controller is disconnected or
        /// silent.
        public var isDisconnected: Bool {
            connection != .established || staleness == .disconnected || staleness == .silence
        }
    }

    /// The sort order and the filters of the table.
    public struct Rule: Sendable, Equatable {
        /// The sort order.
        public let sort: TableSort
        /// Whether the order is reversed.
        public let isReversed: Bool
        /// The filter.
        public let filter: DeviceFilter
        /// The mistake in a filter of several words, sanitized; nil for none.
        public let problem: String?
        /// The condition beside the filter, sanitized; nil for none.
        public let condition: String?
        /// Whether only devices that are not online are shown.
        public let isFaultsOnly: Bool
        /// The grouping.
        public let grouping: TableGrouping
        /// The columns that the user has hidden.
        public let hiddenColumns: Set<ColumnChoice>
    }

    /// The line above the devices of a group.
    public struct Group: Sendable, Equatable {
        /// Its line among the lines of the table on the screen.
        public let line: Int
        /// The name of the group, sanitized.
        public let name: String
        /// The numbers of its devices, in words.
        public let counts: String
    }

    /// A sentence that answers a key.
    public struct Hint: Sendable, Equatable {
        /// The sentence, sanitized.
        public let text: String
        /// The tone of the sentence.
        public let tone: EventLine.Tone
    }

    /// A page that replaces the table and the messages.
    public struct Page: Sendable, Equatable {
        /// The title.
        public let title: String
        /// The visible lines.
        public let lines: [ScreenLine]
        /// The number of lines below them.
        public let below: Int
        /// The numbers of the log's messages on the screen, and their total; nil on other pages.
        public let position: String?

        /// A page of those values.
        init(title: String, lines: [ScreenLine], below: Int, position: String? = nil) {
            (self.title, self.lines, self.below, self.position) = (title, lines, below, position)
        }
    }

    /// The account of the devices, sanitized.
    public let account: String
    /// The sort order and the filters of the table.
    public let rule: Rule
    /// The part of the screen that receives the keys.
    public let focus: ViewFocus
    /// The question above the table, or the text typed there; nil without one.
    public let prompt: String?
    /// The answer to a key; nil without one.
    public let hint: Hint?
    /// The rows on the screen.
    public let rows: [Row]
    /// The groups on the screen; none if the table is not grouped.
    public let groups: [Group]
    /// The number of rows above them.
    public let firstRow: Int
    /// The total number of rows.
    public let rowCount: Int
    /// The page in place of table and messages; nil while these are shown.
    public let page: Page?
    /// The details of the selected device beside the table; nil without them.
    public let details: Page?
    /// The part of the log below the table; nil without one.
    public let log: LogPart?
    /// The user of the screen.
    public let viewer: Viewer
    /// The line with the users on duty and the message of the day; nil for none.
    public let duty: ScreenLine?
    /// The counts since the observer started.
    let activity: Activity
    /// The status.
    public let status: Status
}
