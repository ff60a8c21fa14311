/// The page with the keys.
enum HelpText {
    private static let moving = [
        "↑ ↓ j k          move the selection",
        "PgUp PgDn        one screen up, down",
    ]
    private static let jumping = ["Home End g G     first device, last device"]
    private static let playing = [
        "← →              10 s back, 10 s forward",
        "Home End         start, end of the recording",
    ]
    private static let looking = [
        "/                filter by name, ID, site:…",
        "                 or temperature > 26",
        "                 enter keeps, esc clears",
        "s S              next sort order, reverse",
        "b                group by site, node; not",
        "C                choose the columns",
        "Tab Shift-Tab    devices, log, details",
        "f                faults only",
        "space            pause, continue",
        "enter            details; esc back",
        "p                details beside the table",
        "e                export as CSV, NDJSON",
        "d                duty roster",
        "r                reload the roster",
        "l                message log alone",
        "                 ↑ ↓ PgUp PgDn scroll it",
        "                 / filters it",
        "!                errors only",
    ]
    private static let commanding = [
        "t                toggle the device",
        "c                cancel pending toggle",
    ]
    private static let pointing = [
        "click            select; heading: sort",
        "wheel            scroll",
        "shift            select text",
    ]
    private static let leaving = [
        "?                hide this help",
        "Ctrl-L           draw the screen again",
        "Ctrl-Z           suspend; fg continues",
        "q, Ctrl-C        quit",
    ]
    private static let columns = [
        "→ on  a toggle to on is pending",
        "change  time since the last report",
        "room  last measured temperature",
        "trend  last measured temperatures",
    ]

    /// Returns the address of the fleet and the keys; keys without effect are dimmed, with the reason.
    ///
    /// - Parameters:
    ///   - obstacle: The reason why devices cannot be toggled; nil if they can.
    ///   - isReplay: Whether the screen shows a recording, in which some keys move the time.
    ///   - address: The address of the fleet's page; nil if unknown.
    static func lines(obstacle: String?, isReplay: Bool, address: FleetAddress?) -> [ScreenLine] {
        var lines = address?.lines ?? []
        lines += (moving + (isReplay ? playing : jumping) + looking).map { ScreenLine($0) }
        lines += commanding.map { ScreenLine($0, obstacle == nil ? .plain : .dim) }
        if let obstacle { lines.append(ScreenLine("  \(obstacle)", .colored(.yellow))) }
        lines += pointing.map { ScreenLine($0) }
        lines += leaving.map { ScreenLine($0) }
        return lines + [ScreenLine()] + columns.map { ScreenLine($0, .dim) }
    }
}
