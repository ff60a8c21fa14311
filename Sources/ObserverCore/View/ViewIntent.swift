/// What a person wants of the screen.
public enum ViewIntent: Hashable, Sendable {
    /// The selection moves by that many rows, down if positive.
    case move(Int)
    /// The selection moves by that many pages.
    case page(Int)
    /// The selection goes to the first row.
    case first
    /// The selection goes to the last row.
    case last
    /// A filter is about to be typed.
    case beginFilter
    /// A character of the filter.
    case type(Character)
    /// The filter's last character goes.
    case erase
    /// The filter is as it shall be.
    case acceptFilter
    /// No filter.
    case dropFilter
    /// The next sort order.
    case nextSort
    /// The screen stands still, or moves on.
    case togglePause
    /// Only what is not online, or everything.
    case toggleFaultsOnly
    /// The keys are shown, or hidden.
    case toggleHelp
    /// The end.
    case quit
}
