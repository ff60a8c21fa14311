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
