public import FleetProtocol

/// What a person wants of the screen.
public enum ViewIntent: Hashable, Sendable {
    /// The selection, or the page, moves by that many rows, down if positive.
    case move(Int)
    /// The selection, or the page, moves by that many screens.
    case page(Int)
    /// To the first row.
    case first
    /// To the last row.
    case last
    /// A filter is about to be typed.
    case beginFilter
    /// A character of what is being typed.
    case type(Character)
    /// The last character of what is being typed goes.
    case erase
    /// What was typed or asked is as it shall be.
    case accept
    /// What was typed or asked is dropped, a page is left; on the table the filter goes.
    case dismiss
    /// The next sort order.
    case nextSort
    /// The screen stands still, or moves on.
    case togglePause
    /// Only what is not online, or everything.
    case toggleFaultsOnly
    /// The keys are shown, or hidden.
    case toggleHelp
    /// The roster is shown, or hidden.
    case toggleRoster
    /// The roster is loaded anew.
    case refreshRoster
    /// Show or hide the log.
    case toggleLog
    /// Switch the log between errors only and all messages.
    case toggleErrors
    /// The selected device's details are shown.
    case showDetails
    /// The table is to be written to a file.
    case export
    /// The selected device is to be switched.
    case toggleDevice
    /// What is on its way to the selected device is to be taken back.
    case cancelToggle
    /// The end.
    case quit

    /// Whether it goes by whole screens.
    var isPaging: Bool { if case .page = self { true } else { false } }
}

/// What the keys go to.
public enum ViewFocus: Hashable, Sendable {
    /// The table of devices.
    case table
    /// The filter, which is being typed above the table.
    case filter
    /// One device's details in the table's place.
    case details
    /// The keys and what they do, in the table's place.
    case help
    /// Who is on duty when, in the table's place.
    case roster
    /// The log of messages, which replaces the table.
    case log
    /// The name of a file to export to.
    case fileName
    /// Whether a file that is there already shall be replaced.
    case replacing
    /// The question whether to stop the fleet.
    case stopping

    /// Whether letters are letters.
    var isTyping: Bool { self == .filter || self == .fileName }

    /// Whether the screen shows a device that keys can toggle.
    var hasDevice: Bool { self == .table || self == .details }

    /// Whether a page takes the place of table and messages.
    public var isPage: Bool { self == .details || self == .help || self == .roster || self == .log }
}

/// What a person wants that a screen cannot do by itself.
///
/// Whoever drives a ``ViewModel`` carries each out, and tells it what became of it with a ``ViewResult``.
public enum ViewEffect: Hashable, Sendable {
    /// Have a device switched, and tell how it ended.
    case perform(Command)
    /// Take a request back, and tell what the controller said.
    case cancel(RequestID, of: DeviceID)
    /// Write a file, and tell whether that went well.
    case export(TableExport)
    /// End.
    case quit
}

/// What became of a ``ViewEffect``.
public enum ViewResult: Hashable, Sendable {
    /// A command ended, or its time did.
    case ended(OutcomeReport)
    /// A command was not accepted, or cannot be asked for; why, in words.
    case refused(Command, why: String)
    /// The controller answered a cancel.
    case cancelAnswered(RequestID, of: DeviceID, CancelAnswer)
    /// A cancel has no answer; why, in words.
    case cancelFailed(RequestID, of: DeviceID, why: String)
    /// The file is written.
    case exported(TableExport)
    /// There is a file of that name already; nothing was written.
    case fileExists(TableExport)
    /// The file cannot be written; why, in words.
    case exportFailed(TableExport, why: String)
}

/// What a person wants of a recording that is played.
public enum PlaybackIntent: Hashable, Sendable {
    /// By that many steps on, or back if negative.
    case step(Int)
    /// To its first moment.
    case first
    /// To its last moment.
    case last
    /// It stands still, or goes on.
    case togglePause
}

extension Key {
    /// What the key means to a recording that is played; nil when it is the screen's own: what is typed or
    /// answered there comes before.
    public func playback(in focus: ViewFocus) -> PlaybackIntent? {
        guard !focus.isTyping, focus != .replacing, focus != .stopping else { return nil }
        return switch self {
        case .left: .step(-1)
        case .right: .step(1)
        case .home: .first
        case .end: .last
        case .character(" "): .togglePause
        case .character, .enter, .escape, .backspace, .up, .down, .pageUp, .pageDown, .interrupt, .redraw,
            .other:
            nil
        }
    }
}
