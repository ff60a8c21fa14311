import FleetProtocol
import FleetReplica

enum ViewIntent: Hashable, Sendable {
    /// Move the selection, or the page, by that many rows; down if positive.
    case move(Int)
    /// Move the selection, or the page, by that many screens.
    case page(Int)
    case first
    case last
    case beginFilter
    case type(Character)
    case erase
    /// Accept the text, or confirm the question.
    case accept
    /// Discard the text or the question, or leave the page; on the table, remove the filter.
    case dismiss
    case nextSort
    case reverseSort
    case nextGrouping
    case chooseColumns
    case toggleColumn
    case togglePause
    /// Switch between the devices that are not online and all devices.
    case toggleFaultsOnly
    case toggleHelp
    case toggleRoster
    case refreshRoster
    /// Move the focus to the next pane, or to the one before if negative.
    case nextPane(Int)
    /// Show the log alone, or beside the devices again.
    case toggleLog
    case toggleErrors
    case showDetails
    case toggleDetailsBeside
    case export
    case toggleDevice
    case cancelToggle
    /// Select a device or a pane, or sort by a column, with the mouse.
    case point(ScreenLayout.Place)
    /// Scroll by that many lines with the wheel of the mouse; down if positive.
    case scroll(Int, at: ScreenLayout.Place)
    case suspend
    case quit

    var isPaging: Bool { if case .page = self { true } else { false } }
}

enum ViewFocus: Hashable, Sendable {
    case table
    /// The text field of the filter, above the table.
    case filter
    /// The details of one device, which replace the table.
    case details
    /// The list of keys, which replaces the table.
    case help
    case roster
    /// The log of messages, which is below the table or replaces it.
    case log
    /// The text field of the log's filter, above the log.
    case logFilter
    /// The dialog with the columns, which replaces the table.
    case columns
    /// The text field for the name of a file to export to.
    case fileName
    case replacing
    /// The question whether to stop the fleet.
    case stopping

    var isTyping: Bool { self == .filter || self == .logFilter || self == .fileName }

    /// Whether the screen shows a device that keys can toggle.
    var hasDevice: Bool { self == .table || self == .details }
    var isLog: Bool { self == .log || self == .logFilter }

    func next(_ panes: Int) -> ViewFocus {
        let order = [ViewFocus.table, .log, .details]
        guard let place = order.firstIndex(of: self) else { return .table }
        return order[(place + panes + order.count) % order.count]
    }
}

/// An action that the view model requests from its caller. The caller of a ``ViewModel`` executes it and
/// reports a ``ViewResult``.
enum ViewEffect: Hashable, Sendable {
    case perform(Command)
    case cancel(RequestID, of: DeviceID)
    case export(TableExport)
    /// Restore the terminal, stop the process, and draw again when it is continued.
    case suspend
    case quit
}

enum ViewResult: Hashable, Sendable {
    case ended(OutcomeReport)
    /// A command was refused or could not be sent; the reason in words.
    case refused(Command, why: String)
    case cancelReplied(RequestID, of: DeviceID, CancelReply)
    /// A cancel got no reply; the reason in words.
    case cancelFailed(RequestID, of: DeviceID, why: String)
    case exported(TableExport)
    /// A file with that name exists; nothing was written.
    case fileExists(TableExport)
    /// The file could not be written; the reason in words.
    case exportFailed(TableExport, why: String)
}

/// An action that the user requests while a recording is replayed.
enum PlaybackIntent: Hashable, Sendable {
    /// Move by that many steps; back if negative.
    case step(Int)
    case first
    case last
    case togglePause
}

extension Key {
    /// Returns the action of the key in a replay; nil if it has none, or while text fields or questions have
    /// the focus.
    func playback(in focus: ViewFocus) -> PlaybackIntent? {
        guard !focus.isTyping, focus != .replacing, focus != .stopping else { return nil }
        return switch self {
        case .left: .step(-1)
        case .right: .step(1)
        case .home: .first
        case .end: .last
        case .character(" "): .togglePause
        case .character, .pasted, .enter, .escape, .backspace, .up, .down, .pageUp, .pageDown, .tab, .backTab,
            .interrupt, .suspend, .redraw, .click, .wheel, .other:
            nil
        }
    }
}
