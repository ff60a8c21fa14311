import FleetProtocol

/// Numbers that no honest node reaches: a message that has one is dropped, for counting on from it would
/// overflow, and a controller that took such an epoch for a successor's would never start again.
enum Plausibility {
    /// Epochs count on from the seconds since 1970; this is the year 36812.
    private static let epochsBelow: UInt64 = 1 << 40

    static func holds(for message: NodeMessage) -> Bool {
        guard holds(for: message.lastNumber) else { return false }
        return switch message.body {
        case .hello, .ping, .leaving, .done: true
        case .result(let result): holds(for: result.row)
        case .rows(let chunk): chunk.rows.allSatisfy { holds(for: $0.device) }
        }
    }

    static func holds(for row: DeviceRow) -> Bool {
        row.epoch.value < epochsBelow && holds(for: row.number) && holds(for: row.lastSequence)
            && holds(for: row.reported.version)
    }

    private static func holds(for count: some Ordinal) -> Bool { count.value <= Limits.largestOrdinal }
}
