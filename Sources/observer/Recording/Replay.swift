import ArgumentParser
import FleetProtocol
import FleetReplica
import ProcessSupport
import UserText

/// Plays a recording to a presenter and handles keys.
actor Replay {
    /// The interval between two turns of the presenter, in recorded time.
    private static let turnInterval: Duration = .milliseconds(34)
    /// The maximum number of entries played in one turn, so that keys are handled in between.
    private static let entriesAtOnce = 20_000
    /// The time that an arrow key seeks.
    private static let step: Duration = .seconds(10)

    /// Returns the size of the table, which is the terminal's without the status line.
    @Sendable static func sizeAboveStatus() -> (columns: Int, lines: Int) {
        let (columns, lines) = Terminal.size()
        return (columns, max(1, lines - 1))
    }

    private var player: RecordingPlayer
    private var presenter: any Presenter
    private let speed: ReplaySpeed
    /// The size of the terminal; nil if lines are printed.
    private let size: (@Sendable () -> (columns: Int, lines: Int))?
    private let eastOfUTC: LocalOffset
    private let suspend: @Sendable () -> Void
    private let clock: @Sendable () -> MonotonicTime
    private var isPaused = false
    private var turnedAt: MonotonicTime?
    private var status = ""
    private var pending: [UInt8] = []

    init(
        _ player: RecordingPlayer, presenter: any Presenter, speed: ReplaySpeed,
        size: (@Sendable () -> (columns: Int, lines: Int))?, eastOfUTC: @escaping LocalOffset,
        suspend: @escaping @Sendable () -> Void, clock: @escaping @Sendable () -> MonotonicTime
    ) {
        (self.player, self.presenter, self.speed) = (player, presenter, speed)
        (self.size, self.eastOfUTC, self.suspend, self.clock) = (size, eastOfUTC, suspend, clock)
    }

    /// The time until the next turn; zero for lines at maximum speed.
    var untilTurn: Duration { size == nil && speed == .max ? .zero : Self.turnInterval }

    /// Plays and shows the entries that are due; returns whether a replay in lines has ended.
    func turn() throws -> Bool {
        let now = clock()
        let passed = turnedAt.map { $0.duration(to: now) } ?? .zero
        turnedAt = now
        if !isPaused {
            let end = speed.played(in: passed).map { player.position + $0 } ?? player.timeline.length
            if size == nil { try playLines(to: end) } else { _ = try play(to: end) }
        }
        try show()
        guard size == nil, player.isAtEnd else { return false }
        presenter.finish(at: player.now, into: &pending)
        try flush()
        return true
    }

    /// Handles keys; returns whether the user wants to quit.
    func press(_ keys: [Key]) throws -> Bool {
        for key in keys where try press(key) { return true }
        try show()
        return false
    }

    /// Handles a key; its meaning may depend on the effect of the previous key.
    private func press(_ key: Key) throws -> Bool {
        if key == .redraw { status = "" }
        switch key.playback(in: presenter.withView { $0.focus } ?? .table) {
        case .step(let steps): try seek(to: player.position + Self.step * steps)
        case .first: try seek(to: .zero)
        case .last: try seek(to: player.timeline.length)
        case .togglePause: isPaused.toggle()
        case nil:
            var viewEffects: [ViewEffect] = []
            presenter.press(key, on: player.replica, at: player.now, into: &viewEffects)
            for case .export(let export) in viewEffects {
                let result = ExportFile.write(export)
                presenter.withView { $0.handle(result, on: player.replica, at: player.now) }
            }
            if viewEffects.contains(.suspend) {
                suspend()
                try redraw()
            }
            return viewEffects.contains(.quit)
        }
        return false
    }

    /// Plays with the presenter's turns at the recorded times, so that lines appear in the original order.
    private func playLines(to end: Duration) throws {
        var left = Self.entriesAtOnce
        while player.position < end || player.position == .zero, left > 0 {
            let next = try player.nextTime() ?? end
            // Skips the turns of a quiet period once the presenter has written the lines it held back.
            let isQuiet = next > player.position + Narration.stateDelay + Self.turnInterval
            let stop = isQuiet ? player.position + Narration.stateDelay : player.position + Self.turnInterval
            left -= 1
            _ = try play(to: min(end, stop))
            presenter.turn(player.replica, at: player.now, into: &pending)
            if isQuiet, player.position < end { _ = try play(to: min(end, next)) }
            try flush()
            if player.isAtEnd { return }
        }
    }

    private func play(to end: Duration) throws -> Bool {
        try player.play(to: end, entries: Self.entriesAtOnce) { event, replica, at in
            presenter.handle(event, of: replica, at: at, into: &pending)
        }
    }

    func redraw() throws {
        presenter.redraw()
        status = ""
        try show()
    }

    private func seek(to time: Duration) throws {
        try player.seek(to: time)
        presenter.rewind()
        turnedAt = clock()
    }

    private func show() throws {
        guard let size else { return try flush() }
        presenter.turn(player.replica, at: player.now, into: &pending)
        let (columns, lines) = size()
        let line = DisplayWidth.fitted(statusText(), to: columns)
        if line != status || !pending.isEmpty {
            status = line
            pending += "\u{1b}[\(lines);1H\u{1b}[7m\(line)\u{1b}[0m".utf8
        }
        try flush()
    }

    private func statusText() -> String {
        let state = player.isAtEnd ? "end of the recording" : isPaused ? "paused" : "replay \(speed.text)"
        let now = player.now.wall
        let time = TimeText.timeOfDay(now, eastOfUTC: eastOfUTC(now)).prefix(8)
        return
            " \(state)  \(time)  \(Self.clockText(player.position)) of \(Self.clockText(player.timeline.length))"
            + "  space pause  ←→ 10 s  Home End  q quit"
    }

    /// Hours, minutes and seconds: `0:02:13`.
    private static func clockText(_ duration: Duration) -> String {
        let seconds = duration.wholeMilliseconds / 1_000
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(seconds / 3_600):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    }

    private func flush() throws {
        guard !pending.isEmpty else { return }
        try TextOutput.standardOutput.write(pending)
        pending.removeAll(keepingCapacity: true)
    }
}

enum ReplaySpeed: Equatable, ExpressibleByArgument {
    /// A multiple of the recorded speed.
    case times(Double)
    /// As fast as possible.
    case max

    /// Parses a speed: a number from 0.01 to 100,000, or `max`.
    init?(argument: String) {
        if argument == "max" {
            self = .max
        } else if let factor = Double(argument), (0.01...100_000).contains(factor) {
            self = .times(factor)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .times(let factor): factor == factor.rounded() ? "×\(Int(factor))" : "×\(factor)"
        case .max: "max"
        }
    }

    /// Returns the recorded time to play in a real time; nil for no bound.
    func played(in time: Duration) -> Duration? {
        switch self {
        case .times(let factor): time * factor
        case .max: nil
        }
    }
}
