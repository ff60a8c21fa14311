import FleetReplica
import UserText

/// The line at the bottom: the connection first, because it must always be visible, then the pieces that fit.
enum StatusLine {
    private static let leastAwaitedWidth = 12

    static func line(of status: ScreenContent.Status, width: Int) -> ScreenLine {
        var line = connection(status.connection)
        for piece in pieces(of: status) where line.width + 2 + piece.width <= width {
            line.append("  ")
            line.append(piece)
        }
        if let awaited = status.awaited, line.width + 2 + leastAwaitedWidth <= width {
            let text = "until \(awaited)"
            let room = width - line.width - 2
            line.append("  ")
            line.append(
                DisplayWidth.of(text) > room ? DisplayWidth.fitted(text, to: room) : text, .colored(.cyan))
        }
        return line
    }

    private static func connection(_ connection: ConnectionState) -> ScreenLine {
        let color: Style.Color =
            switch connection {
            case .connecting: .yellow
            case .established: .green
            case .failed: .red
            }
        return ScreenLine("● \(connection.text)", Style(color: color, isBold: true))
    }

    private static func pieces(of status: ScreenContent.Status) -> [ScreenLine] {
        var pieces: [ScreenLine] = []
        if let pausedBy = status.pausedBy {
            pieces.append(ScreenLine("paused, +\(pausedBy) while paused", .colored(.yellow)))
        }
        if let staleFor = status.staleFor {
            pieces.append(ScreenLine("stale \(TimeText.age(staleFor))", .colored(.red)))
        }
        if status.pending > 0 { pieces.append(ScreenLine("\(status.pending) pending", .colored(.yellow))) }
        pieces.append(ScreenLine("\(status.online)/\(status.devices) online"))
        if status.behind > 0 { pieces.append(ScreenLine("lag \(status.behind)", .colored(.yellow))) }
        pieces.append(ScreenLine("\(status.updatesPerSecond) updates/s"))
        if let staleness = status.staleness { pieces.append(ScreenLine(staleness.text, .dim)) }
        if let page = status.page { pieces.append(ScreenLine(page, .dim)) }
        return pieces
    }
}
