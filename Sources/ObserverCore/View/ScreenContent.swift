public import FleetProtocol
public import FleetReplica
import FleetTime
public import UserText

/// All that a screen shows, as values.
public struct ScreenContent: Sendable, Equatable {
    /// A device's row.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: FleetEvent.Device
        /// Its state.
        public let state: DeviceState
        /// Its presence.
        public let presence: Presence
        /// How long ago its state was heard of.
        public internal(set) var age: Duration
        /// What its pod measured last; nil when that was not heard of.
        public let measured: Measurements?
        /// The temperatures of its room, oldest first, in tenths of a degree Celsius.
        public let deciCelsius: [Int16]
        /// Whether a toggle on its way is to switch it on; nil where none is.
        public let expected: Bool?
        /// Whether it is selected.
        public let isSelected: Bool

        /// The row as far as a person sees it: its age in whole seconds.
        var seen: Row {
            var row = self
            row.age = .seconds(age.wholeMilliseconds / 1_000)
            return row
        }
    }

    /// How the replica does.
    public struct Status: Sendable, Equatable {
        /// The connection to the controller.
        public let connection: ConnectionState
        /// How many devices there are.
        public let devices: Int
        /// How many of them are online.
        public let online: Int
        /// Updates in the last full second.
        public let updatesPerSecond: UInt64
        /// Updates known of that are not shown yet: missing, or come and not taken yet.
        public let behind: UInt64
        /// Why what is shown may be out of date; nil when it is not.
        public let staleness: Staleness?
        /// For how long; nil when it is right, or never was.
        public let staleFor: Duration?
        /// Updates since the screen stands still; nil while it moves.
        public let pausedBy: UInt64?
        /// Toggles on their way.
        public let pending: Int
        /// What the screen is only shown until, fit for a terminal; nil where that is for nothing.
        public let awaited: String?
        /// The URL of the fleet's page, fit for a terminal; nil where that is unknown.
        public let page: String?

        /// Whether what is shown is only what was known last: the controller is away, or silent.
        public var isAway: Bool {
            connection != .established || staleness == .disconnected || staleness == .silence
        }
    }

    /// The order of the rows, and which of them are shown.
    public struct Rule: Sendable, Equatable {
        /// The sort order.
        public let sort: TableSort
        /// The filter.
        public let filter: DeviceFilter
        /// The condition beside the filter, fit for a terminal; nil for none.
        public let condition: String?
        /// Whether only devices that are not online are shown.
        public let isFaultsOnly: Bool
    }

    /// A sentence that answers a key.
    public struct Hint: Sendable, Equatable {
        /// The sentence, fit for a terminal.
        public let words: String
        /// How it sounds.
        public let tone: EventLine.Tone
    }

    /// What takes the place of table and messages.
    public struct Page: Sendable, Equatable {
        /// What it is, in a word.
        public let title: String
        /// Its lines on the screen.
        public let lines: [ScreenLine]
        /// How many lines are below them.
        public let below: Int
        /// The numbers of the log's messages on the screen, and their total; nil on other pages.
        public let position: String?

        /// A page of those values.
        init(title: String, lines: [ScreenLine], below: Int, position: String? = nil) {
            (self.title, self.lines, self.below, self.position) = (title, lines, below, position)
        }
    }

    /// Whose devices they are, fit for a terminal.
    public let account: String
    /// The order of the rows, and which of them are shown.
    public let rule: Rule
    /// What the keys go to.
    public let focus: ViewFocus
    /// The question above the table, or the text typed there; nil without one.
    public let prompt: String?
    /// A sentence that answers a key, and how it sounds; nil when there is none.
    public let hint: Hint?
    /// The rows on the screen.
    public let rows: [Row]
    /// How many rows are above them.
    public let firstRow: Int
    /// How many rows there are in all.
    public let rowCount: Int
    /// The page in place of table and messages; nil while these are shown.
    public let page: Page?
    /// The newest messages, oldest first.
    public let messages: [EventLine]
    /// How far east of UTC the person is.
    public let eastOfUTC: Duration
    /// Who looks at it.
    public let viewer: Viewer
    /// Who is on duty, and the message of the day; nil where there is nothing to be told.
    public let duty: ScreenLine?
    /// The status.
    public let status: Status
}
