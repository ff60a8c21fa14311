/// What the keys do, for the screen.
enum HelpText {
    private static let moving = [
        "↑ ↓ j k          move the selection",
        "PgUp PgDn        by a screen",
    ]
    private static let jumping = ["Home End         to the first, the last"]
    private static let playing = [
        "← →              10 s back, 10 s on",
        "Home End         its beginning, its end",
    ]
    private static let looking = [
        "/                filter by name or id",
        "                 enter keeps, esc drops",
        "s                next sort order",
        "f                faults only",
        "space            pause, go on",
        "enter            details; esc back",
        "e                export as CSV, NDJSON",
        "d                who is on duty when",
        "r                load that anew",
        "l                the log of messages",
        "                 ↑ ↓ PgUp PgDn scroll it",
        "!                its errors only",
    ]
    private static let commanding = [
        "t                toggle the device",
        "c                take that back",
    ]
    private static let leaving = [
        "?                hide the keys",
        "Ctrl-L           draw the screen again",
        "q, Ctrl-C        quit",
    ]
    private static let columns = [
        "→ on  a toggle is on its way to on",
        "change  since its state was heard of",
        "room  what its pod measured last",
        "trend  the room's last temperatures",
    ]

    /// The address of the fleet and the keys, with those dimmed that can do nothing now, and why.
    ///
    /// - Parameters:
    ///   - obstacle: Why nothing can be toggled; nil when something can.
    ///   - isReplay: Whether a recording is shown, whose time some of the keys move.
    ///   - address: Where the fleet's page is; nil where that is unknown.
    static func lines(obstacle: String?, isReplay: Bool, address: FleetAddress?) -> [ScreenLine] {
        var lines = address?.lines ?? []
        lines += (moving + (isReplay ? playing : jumping) + looking).map { ScreenLine($0) }
        lines += commanding.map { ScreenLine($0, obstacle == nil ? .plain : .dim) }
        if let obstacle { lines.append(ScreenLine("  not now: \(obstacle)", .colored(.yellow))) }
        lines += leaving.map { ScreenLine($0) }
        return lines + [ScreenLine()] + columns.map { ScreenLine($0, .dim) }
    }
}
