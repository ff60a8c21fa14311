import DeviceCore
import FleetProtocol
import UserText

/// The record of a rehearsal: the state of the fleet every five simulated minutes, and the events in between.
struct RehearsalRecord {
    struct Events: Equatable {
        /// Devices that changed their state, or lost or regained their connection.
        var changes = 0
        var measurements = 0
        var crashes = 0
    }

    struct Sample {
        let elapsedMs: Int64
        let on: Int
        let connected: Int
        /// The temperature in each of ``rooms``, °C.
        let celsius: [Double]
        let events: Events
    }

    struct Room: Equatable {
        let slot: Int
        let name: String
    }

    private static let intervalMs: Int64 = 300_000
    private static let roomsAtMost = 3

    /// The sampled rooms: three, evenly spread over the devices.
    let rooms: [Room]
    private(set) var samples: [Sample] = []
    private var events = Events()

    init(of node: Node) {
        let count = min(Self.roomsAtMost, node.deviceCount)
        rooms = (0..<count).map { place in
            let slot = place * node.deviceCount / count
            return Room(slot: slot, name: node.name(ofSlot: slot))
        }
    }

    /// Returns the sample times: the start, every five minutes, and the end.
    static func sampleTimesMs(until end: Int64) -> [Int64] {
        Array(stride(from: 0, to: end, by: Int(intervalMs))) + [end]
    }

    mutating func add(_ effect: Node.Effect) {
        switch effect {
        case .publish: events.changes += 1
        case .measured(let devices): events.measurements += devices.count
        case .crash: events.crashes += 1
        case .remember, .send, .readScenario, .connect, .refused: break
        }
    }

    mutating func sample(_ rehearsal: Rehearsal) {
        let standing = rehearsal.node.standing
        samples.append(
            Sample(
                elapsedMs: rehearsal.elapsedMs, on: standing.on, connected: standing.connected,
                celsius: rooms.map { rehearsal.node.measurements(ofSlot: $0.slot).celsius }, events: events))
        events = Events()
    }
}

/// The events of a rehearsal for scripts: one JSON object a line. Every line has `at`, the time of day,
/// `elapsedMs`, the simulated time since the start, and `kind`.
struct RehearsalEvents {
    private let startMs: Int64

    init(startingAt start: Scenario.TimeOfDay) { startMs = Int64(start.secondOfDay) * 1_000 }

    func append(_ effect: Node.Effect, of rehearsal: Rehearsal, to bytes: inout [UInt8]) {
        switch effect {
        case .publish(let row):
            let members: JSONObject =
                row.reported.state.members + [
                    "version": row.reported.version.value,
                    "incarnation": row.reported.incarnation.description,
                    "cause": row.reported.causeWord(row.cause), "connected": row.isConnected,
                ]
            append("device", row.device, members, of: rehearsal, to: &bytes)
        case .measured(let devices):
            for one in devices {
                append("measured", one.device, one.measurements.members, of: rehearsal, to: &bytes)
            }
        case .crash: append("crash", nil, [:], of: rehearsal, to: &bytes)
        case .remember, .send, .readScenario, .connect, .refused: break
        }
    }

    private func append(
        _ kind: String, _ device: DeviceID?, _ members: JSONObject, of rehearsal: Rehearsal,
        to bytes: inout [UInt8]
    ) {
        let elapsed = rehearsal.elapsedMs
        let at = TimeText.timeOfDay(WallTime(unixMilliseconds: startMs + elapsed))
        let common: JSONObject = [
            "at": at, "elapsedMs": elapsed, "kind": kind, "device": device?.description,
            "name": device.flatMap(rehearsal.node.name(of:)),
        ]
        bytes += JSONWriter.bytes(of: common + members)
        bytes.append(UInt8(ascii: "\n"))
    }
}

/// The table of a rehearsal for people, a line for each simulated hour.
struct RehearsalTable {
    private static let hourMs: Int64 = 3_600_000

    private let record: RehearsalRecord
    private let startMs: Int64

    init(_ record: RehearsalRecord, of scenario: Scenario) {
        self.record = record
        startMs = Int64(scenario.clock.start.secondOfDay) * 1_000
    }

    var lines: [String] {
        var table = TextTable(
            [
                ("TIME", .left), ("ON", .right), ("ONLINE", .right), ("CHANGES", .right),
                ("MEASUREMENTS", .right), ("CRASHES", .right),
            ] + record.rooms.map { (SafeText.of($0.name), .right) })
        var (since, all) = (RehearsalRecord.Events(), RehearsalRecord.Events())
        for (place, sample) in record.samples.enumerated() {
            since += sample.events
            all += sample.events
            let isLast = place == record.samples.count - 1
            guard isLast || sample.elapsedMs % Self.hourMs == 0 else { continue }
            table.add(cells(of: sample, since))
            since = RehearsalRecord.Events()
        }
        let sum =
            "\(FigureText.count(all.changes)) changes, \(FigureText.count(all.measurements)) measurements, "
            + "the node crashed \(Count.of(all.crashes, "time"))"
        return table.lines + ["", sum]
    }

    private func cells(of sample: RehearsalRecord.Sample, _ events: RehearsalRecord.Events) -> [String] {
        let time = TimeText.timeOfDay(WallTime(unixMilliseconds: startMs + sample.elapsedMs))
        return [
            String(time.prefix(5)), FigureText.count(sample.on), FigureText.count(sample.connected),
            FigureText.count(events.changes), FigureText.count(events.measurements),
            FigureText.count(events.crashes),
        ] + sample.celsius.map { "\($0) °C" }
    }
}

extension RehearsalRecord.Events {
    fileprivate static func += (sum: inout Self, more: Self) {
        sum.changes += more.changes
        sum.measurements += more.measurements
        sum.crashes += more.crashes
    }
}

/// A plot of a rehearsal: the temperature of three rooms, and the numbers of devices that are on and online.
struct RehearsalPicture {
    private let record: RehearsalRecord
    private let scenario: Scenario

    init(_ record: RehearsalRecord, of scenario: Scenario) {
        (self.record, self.scenario) = (record, scenario)
    }

    var svg: String { PlotSheet([rooms, devices]).svg }

    private var rooms: LinePlot {
        let inside = record.rooms.enumerated().map { place, room in
            LinePlot.Series(
                name: SafeText.of(room.name), points: record.samples.map { (hour($0), $0.celsius[place]) })
        }
        let outside = LinePlot.Series(
            name: "outside",
            points: record.samples.map { sample in
                (hour(sample), scenario.weather.celsius(at: time(ofHour: hour(sample))))
            })
        return LinePlot(
            title: "\(scenario.name): temperature in three of the rooms", axes: ("time of day", "°C"),
            kinds: (.hours, .between), labels: (text(forHour:), { FigureText.decimal($0, places: 0) }),
            series: inside + [outside])
    }

    private var devices: LinePlot {
        let parts: [(String, KeyPath<RehearsalRecord.Sample, Int>)] = [("on", \.on), ("online", \.connected)]
        let series = parts.map { name, path in
            LinePlot.Series(name: name, points: record.samples.map { (hour($0), Double($0[keyPath: path])) })
        }
        return LinePlot(
            title: "\(scenario.name): devices", axes: ("time of day", "devices"), kinds: (.hours, .linear),
            labels: (text(forHour:), { FigureText.count(Int($0)) }), series: series)
    }

    /// Returns the hours since the midnight before the start.
    private func hour(_ sample: RehearsalRecord.Sample) -> Double {
        Double(scenario.clock.start.secondOfDay) / 3_600 + Double(sample.elapsedMs) / 3_600_000
    }

    private func time(ofHour hour: Double) -> Scenario.TimeOfDay {
        Scenario.TimeOfDay.midnight.advanced(bySeconds: hour * 3_600)
    }

    private func text(forHour hour: Double) -> String { time(ofHour: hour).description }
}
