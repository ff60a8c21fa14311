import FleetProtocol

/// Commands of the users of one account, their repeats, cancels and lookups.
struct CommandWorkload {
    /// The commands that were sent, or cancelled before they were sent.
    private var commands: [Command] = []

    var last: Command? { commands.last }

    func contains(_ id: RequestID) -> Bool { commands.contains { $0.requestID == id } }

    /// Chooses the next request of a client; `foreign` is an ID of another account, which is used now and
    /// then.
    mutating func next(
        of client: Client, foreign: RequestID?, nodes: inout InPlaceArray<NodeProcess>, at now: WallTime,
        using random: inout RandomSources
    ) -> ClientRequest.Body {
        // The place of one of the last commands; most requests do not need it.
        let recent = commands.indices.suffix(8).randomElement(using: &random.main)
        switch (Int.random(in: 0..<20, using: &random.main), recent) {
        case (10...12, let place?): return .command(commands[place])
        case (13, let place?): return .command(Self.another(with: commands[place], using: &random.main))
        case (14...16, let place?):
            return .cancel(commands[place].requestID, timeout: Self.timeout(&random.main))
        case (17, _):
            let command = newCommand(of: client, foreign, &nodes, at: now, using: &random)
            return .cancel(command.requestID, timeout: nil)
        case (18, let place?): return .outcome(commands[place].requestID)
        case (19, _): return .status
        default: return .command(newCommand(of: client, foreign, &nodes, at: now, using: &random))
        }
    }

    private static func timeout(_ random: inout SeededGenerator) -> Duration? {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: nil
        case 1...4: .milliseconds(Int.random(in: 50...800, using: &random))
        default: .milliseconds(Int.random(in: 50...5_000, using: &random))
        }
    }

    /// Another command with the request ID of a command.
    private static func another(with command: Command, using random: inout SeededGenerator) -> Command {
        let change = ACStateChange(targetTemperature: Int8.random(in: 16...30, using: &random))
        return Command(
            requestID: command.requestID, device: command.device, kind: .set(change),
            timeout: command.timeout)
    }

    private mutating func newCommand(
        of client: Client, _ foreign: RequestID?, _ nodes: inout InPlaceArray<NodeProcess>, at now: WallTime,
        using random: inout RandomSources
    ) -> Command {
        var id = RequestID(at: now.advanced(by: client.clockError), using: &random.main)
        if Int.random(in: 0..<20, using: &random.main) == 0, let foreign, !contains(foreign) { id = foreign }
        let isForeign = Int.random(in: 0..<40, using: &random.main) == 0
        let row = nodes.randomRow(of: client.account, isForeign: isForeign, using: &random.main)
        let kind = Self.kind(at: now, using: &random)
        let command = Command(
            requestID: id, device: row?.device ?? DeviceID(fleetSeed: 1, index: 0), kind: kind,
            expected: row.flatMap { Self.expectation($0.reported, &random.main) },
            timeout: Self.timeout(&random.main))
        commands.append(command)
        return command
    }

    /// The expected state that a client names: the current one, an earlier one, or that of an earlier
    /// incarnation.
    private static func expectation(
        _ state: DeviceState, _ random: inout SeededGenerator
    ) -> FleetProtocol.Expectation? {
        switch Int.random(in: 0..<12, using: &random) {
        case 0, 1: state.expectation
        case 2: Expectation(incarnation: state.incarnation, version: Version(max(1, state.version.value) - 1))
        case 3: Expectation(incarnation: Incarnation(bits: 1), version: state.version)
        default: nil
        }
    }

    private static func kind(at now: WallTime, using random: inout RandomSources) -> Command.Kind {
        let usual = usualKind(&random.main)
        guard Int.random(in: 0..<6, using: &random.settings) == 0 else { return usual }
        return .configure(settingChange(at: now, &random.settings))
    }

    private static func usualKind(_ random: inout SeededGenerator) -> Command.Kind {
        switch Int.random(in: 0..<10, using: &random) {
        case 0...6: .toggle
        case 7: .set(ACStateChange(targetTemperature: 99))
        default: .set(ACStateChange(isOn: Bool.random(using: &random)))
        }
    }

    /// A change of settings; devices reject some of them.
    private static func settingChange(at now: WallTime, _ random: inout SeededGenerator) -> SettingChange {
        switch Int.random(in: 0..<17, using: &random) {
        case 0...3:
            let change = ACStateChange(isOn: Bool.random(using: &random))
            return .timer(change, afterSeconds: UInt32.random(in: 1...4, using: &random))
        case 4: return .noTimer
        case 5: return .filterCleaned
        case 6: return .filterThreshold(seconds: UInt32.random(in: 3_600...3_601, using: &random))
        case 7: return .climateReactEnabled(Bool.random(using: &random))
        case 8...10: return .schedule(scheduleID(&random), schedulePlan(at: now, &random))
        case 11: return .scheduleEnabled(scheduleID(&random), Bool.random(using: &random))
        case 12: return .noSchedule(scheduleID(&random))
        case 13:
            let added = Int16.random(in: -1...1, using: &random)
            return .calibration(deciCelsius: added, humidityPermille: Bool.random(using: &random) ? 0 : nil)
        case 14: return .pureBoost(PureBoost(isEnabled: Bool.random(using: &random)))
        default:
            let target = Int8.random(in: 26...34, using: &random)
            let cool = ACStateChange(isOn: true, mode: .cool, targetTemperature: target)
            let high = ClimateReact.Side(tenths: 10 * Int16(target), change: cool)
            return .climateReact(ClimateReact(low: nil, high: high))
        }
    }

    /// One of a few, so that some are added, changed and removed again, and of more than a device may have.
    private static func scheduleID(_ random: inout SeededGenerator) -> ScheduleID {
        ScheduleID(randomBits: UInt64.random(in: 1...12, using: &random))
    }

    /// A schedule that is due soon, on some days, mostly in a time zone that devices know.
    private static func schedulePlan(at now: WallTime, _ random: inout SeededGenerator) -> SchedulePlan {
        let soon = now.advanced(by: .seconds(Int64.random(in: 1...5, using: &random)))
        let (zone, time) = SimulatedZones.zone(ofMinuteAt: soon)
        let isUnknown = Int.random(in: 0..<8, using: &random) == 0
        let days = UInt8.random(in: 1...Weekdays.all.rawValue, using: &random)
        return SchedulePlan(
            change: ACStateChange(isOn: Bool.random(using: &random)), time: time,
            weekdays: Bool.random(using: &random) ? .all : Weekdays(rawValue: days),
            zone: isUnknown ? .utc : zone)
    }
}

/// Command queues of the users of one account: starts, repeats, lookups, and pausing, resuming or cancelling.
struct CommandQueueWorkload {
    private static let commandsAtMost = 4
    private static let longestRunMs = 400

    private var started: [(id: RequestID, plan: QueuePlan)] = []

    /// Chooses the next request of a client; nil for none. With `mayStart`, another queue can still end in
    /// the time without faults.
    mutating func next(
        of client: Client, devices: [DeviceID], mayStart: Bool, at now: WallTime,
        using random: inout SeededGenerator
    ) -> QueueRequest? {
        let recent = started.suffix(4).randomElement(using: &random)
        switch (Int.random(in: 0..<12, using: &random), recent) {
        case (4...5, let known?): return .start(known.id, known.plan)
        case (6, let known?): return .start(known.id, Self.newPlan(devices, using: &random) ?? known.plan)
        case (7...9, let known?):
            return .steer(known.id, QueueSteering.allCases.randomElement(using: &random) ?? .pause)
        case (10, let known?): return .report(known.id)
        case (11, _): return .list(before: nil, limit: 10)
        default:
            guard mayStart, let plan = Self.newPlan(devices, using: &random) else { return nil }
            let id = RequestID(at: now.advanced(by: client.clockError), using: &random)
            started.append((id, plan))
            return .start(id, plan)
        }
    }

    private static func newPlan(_ devices: [DeviceID], using random: inout SeededGenerator) -> QueuePlan? {
        let count = Int.random(in: 1...commandsAtMost, using: &random)
        let commands = (1...count).compactMap { number -> QueueCommand? in
            guard let device = devices.randomElement(using: &random) else { return nil }
            let isToggle = Int.random(in: 0..<4, using: &random) > 0
            let change = ACStateChange(isOn: Bool.random(using: &random))
            let takes = Duration.milliseconds(Int.random(in: 0...longestRunMs, using: &random))
            return QueueCommand(
                label: "\(number)", device: device, kind: isToggle ? .toggle : .set(change), takes: takes)
        }
        let onFailure: QueuePlan.OnFailure = Bool.random(using: &random) ? .stop : .proceed
        return try? QueuePlan(commands: commands, onFailure: onFailure)
    }
}
