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
