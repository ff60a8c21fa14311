import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import UserText

@testable import observer

/// An observer on faulty links that records its input, with its output and its screen.
struct RecordedRun {
    private(set) var files: [[UInt8]] = []
    private(set) var recorder: Recorder
    private(set) var lines: [String] = []

    private var replica = Replica(random: SeededGenerator(seed: 0))
    private var history: RandomHistory
    private var now = Fixture.start
    private var view = ViewModel(account: "demo", random: SeededGenerator(seed: 0))
    private var random: SeededGenerator

    init(seed: UInt64, fileLimit: Int) {
        history = RandomHistory(seed: seed)
        random = SeededGenerator(seed: seed &+ 1)
        recorder = Recorder(account: "demo", fileLimit: fileLimit, seed: seed)
        carryOut(recorder.begin(at: now))
    }

    /// Turns of 10 ms each, the last fifth of them without faults.
    mutating func run(turns: Int) throws {
        handle(.connection(.established))
        for turn in 0..<turns {
            if turn == turns * 4 / 5 {
                history.isLossy = false
                handle(.connection(.established))
            }
            if history.isLossy, Int.random(in: 0..<100, using: &random) == 0 {
                handle(.connection(.failed("no route")))
                handle(.connection(.established))
            }
            try history.change(at: now)
            try self.turn()
        }
        for _ in 0..<200 { try self.turn() }
    }

    /// That many updates of the existing devices, a thousand per turn.
    mutating func flood(updates: Int) {
        let devices = Array(history.devices.keys).sorted()
        var position = replica.position
        for count in 0..<updates {
            position = StreamPosition(epoch: position.epoch, sequence: position.sequence.next)
            let state = Fixture.state(on: count.isMultiple(of: 2), version: UInt64(count + 1_000))
            let body = StreamUpdate.Body.reported(devices[count % devices.count], state)
            handle(
                .update(
                    StreamUpdate(epoch: position.epoch, sequence: position.sequence, at: now.wall, body: body)
                ))
            if count.isMultiple(of: 1_000) { pass() }
        }
        now = now.advanced(by: .milliseconds(300))
        pass()
    }

    /// The screen at the end.
    mutating func screen() -> [String] {
        Replayed.screen(of: replica, view: &view, at: now)
    }

    private mutating func turn() throws {
        for input in try history.deliver(at: now) { handle(input) }
        pass()
    }

    private mutating func pass() {
        now = now.advanced(by: .milliseconds(10))
        handle(.tick)
        carryOut(recorder.turn(&replica, at: now))
    }

    private mutating func handle(_ input: Replica.Input) {
        recorder.record(input, of: replica, at: now)
        var effects: [Replica.Effect] = []
        replica.step(input, at: now, into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): history.ask(pull, at: now)
            case .event(let event): lines += Replayed.lines(of: ObserverEvent(event), replica)
            }
        }
        if replica.hasUnwrittenRows { handle(.tick) }
    }

    private mutating func carryOut(_ effects: [Recorder.Effect]) {
        for effect in effects {
            switch effect {
            case .append(let bytes): files[files.count - 1] += bytes
            case .begin(let bytes): files.append(bytes)
            case .restart(let seed): replica = Replica(random: SeededGenerator(seed: seed))
            case .tooSmall: preconditionFailure("a state of so few devices is small")
            }
        }
    }
}

/// The output of a replay of files, and its screen at the end.
struct Replayed {
    private(set) var lines: [String] = []
    let screen: [String]

    init(_ files: [[UInt8]]) throws {
        var player = try Self.player(of: files)
        var lines: [String] = []
        _ = try player.play(to: player.timeline.length) { event, replica, _ in
            lines += Self.lines(of: event, replica)
        }
        guard player.isAtEnd else { throw Unplayed() }
        self.lines = lines
        screen = Self.screen(of: player)
    }

    /// Bytes remained after the reported end.
    struct Unplayed: Error {}

    static func player(of files: [[UInt8]]) throws -> RecordingPlayer {
        RecordingPlayer(RecordingTimeline(try files.map(scan))) { file, byte, count in
            Array(files[file][byte..<min(files[file].count, byte + count)])
        }
    }

    /// Scans a file in pieces, as it is read.
    static func scan(_ file: [UInt8]) throws -> RecordingIndex {
        var scan = RecordingScan()
        for start in stride(from: 0, to: file.count, by: 100_000) {
            try scan.append(file[start..<min(file.count, start + 100_000)])
        }
        return try scan.finish()
    }

    static func lines(of event: ObserverEvent, _ replica: Replica) -> [String] {
        var output: [UInt8] = []
        EventJSON.append(event, of: replica, filter: .all, to: &output)
        return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The first line in which two texts differ; nil if they are equal.
    static func difference(_ one: [String], _ other: [String]) -> String? {
        if let pair = zip(one, other).first(where: { $0 != $1 }) { return "\(pair.0)\n\(pair.1)" }
        return one.count == other.count ? nil : "\(one.count) and \(other.count) lines"
    }

    static func screen(of player: RecordingPlayer) -> [String] {
        var view = ViewModel(account: "demo", random: SeededGenerator(seed: 0))
        return screen(of: player.replica, view: &view, at: player.now)
    }

    /// Without the ages in it, which depend on the current time.
    static func screen(of replica: Replica, view: inout ViewModel, at now: Moment) -> [String] {
        let layout = ScreenLayout(width: 120, height: 40)
        let then = Moment(monotonic: now.monotonic, wall: Fixture.start.wall)
        let content = view.content(
            of: replica, rows: layout.tableRows, messages: layout.messageRows, width: layout.width, at: then)
        return Screen.lines(of: content, layout: layout).map { line in
            line.spans.map { "\($0.style) \($0.text)" }.joined(separator: "|")
        }
    }
}
