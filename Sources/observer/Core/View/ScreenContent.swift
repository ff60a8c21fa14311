import FleetProtocol
import FleetReplica
import UserText

struct ScreenContent: Sendable, Equatable {
    struct Row: Sendable, Equatable {
        let device: FleetEvent.Device
        let state: DeviceState
        let presence: Presence
        var age: Duration
        let measured: Measurements?
        /// The temperatures of its room, oldest first, in tenths of a degree Celsius.
        let deciCelsius: [Int16]
        /// Whether its pending toggle switches it on; nil without one.
        let expected: Bool?
        let isSelected: Bool

        /// The row with the precision of the display: its age in whole seconds.
        var seen: Row {
            var row = self
            row.age = .seconds(age.wholeMilliseconds / 1_000)
            return row
        }
    }

    struct Status: Sendable, Equatable {
        let connection: ConnectionState
        let devices: Int
        let online: Int
        let updatesPerSecond: UInt64
        /// The known updates that are not shown yet: missing ones, and received ones that were not applied.
        let behind: UInt64
        let staleness: Staleness?
        /// For how long it may have been out of date; nil if it is current, or never was.
        let staleFor: Duration?
        /// The updates since the screen was paused; nil if it is not paused.
        let pausedBy: UInt64?
        let pending: Int
        /// The condition at which the screen ends, sanitized; nil for none.
        let awaited: String?
        /// The URL of the fleet's page, sanitized; nil if unknown.
        let page: String?
        /// The words that call `fleet`.
        let fleet: String

        /// Whether the screen shows only the last known state, because the controller is disconnected or
        /// silent.
        var isDisconnected: Bool {
            connection != .established || staleness == .disconnected || staleness == .silence
        }
    }

    /// The sort order and the filters of the table.
    struct Rule: Sendable, Equatable {
        let sort: TableSort
        let isReversed: Bool
        let filter: DeviceFilter
        /// The mistake in a filter of several words, sanitized; nil for none.
        let problem: String?
        /// The condition beside the filter, sanitized; nil for none.
        let condition: String?
        let isFaultsOnly: Bool
        let grouping: TableGrouping
        let hiddenColumns: Set<ColumnChoice>
    }

    struct Group: Sendable, Equatable {
        /// Its line among the lines of the table on the screen.
        let line: Int
        let name: String
        let counts: String
    }

    struct Hint: Sendable, Equatable {
        let text: String
        let tone: EventLine.Tone
    }

    /// A page that replaces the table and the messages.
    struct Page: Sendable, Equatable {
        let title: String
        let lines: [ScreenLine]
        let below: Int
        /// The numbers of the log's messages on the screen, and their total; nil on other pages.
        var position: String?
    }

    /// The account of the devices, sanitized.
    let account: String
    let rule: Rule
    let focus: ViewFocus
    /// The question above the table, or the text typed there; nil without one.
    let prompt: String?
    let hint: Hint?
    let rows: [Row]
    let groups: [Group]
    let firstRow: Int
    let rowCount: Int
    /// The page in place of table and messages; nil while these are shown.
    let page: Page?
    let details: Page?
    let log: LogPart?
    let viewer: Viewer
    /// The line with the users on duty and the message of the day; nil for none.
    let duty: ScreenLine?
    let activity: Activity
    let status: Status

    struct LogPart: Sendable, Equatable {
        let lines: [ScreenLine]
        /// The numbers of the messages on the screen, and their total.
        let position: String
        let isErrorsOnly: Bool
        /// The text that all shown messages contain, sanitized; empty for all messages.
        let filter: String
        /// Whether the newest messages are on the screen, and new ones will be.
        let isAtEnd: Bool

        var isPlain: Bool { isAtEnd && !isErrorsOnly && filter.isEmpty }

        func title(isTyping: Bool) -> String {
            let title = isErrorsOnly ? "log: errors only" : "log"
            if isTyping { return "\(title)  /\(filter)▏" }
            return filter.isEmpty ? title : "\(title)  /\(filter)"
        }
    }
}
