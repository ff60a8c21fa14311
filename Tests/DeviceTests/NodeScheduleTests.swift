import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Schedules of devices")
struct NodeScheduleTests {
    private static let on = ACStateChange(isOn: true)
    private static let off = ACStateChange(isOn: false)
    private static let id = ScheduleID(randomBits: 1)
    /// A Friday, 08:00 UTC.
    private static let start = NodeBench.start.wall

    private static func id(_ number: UInt64) -> ScheduleID { ScheduleID(randomBits: number) }

    private func plan(
        _ change: ACStateChange = on, at time: String, on weekdays: Weekdays = .all, in zone: String = "UTC"
    ) throws -> SchedulePlan {
        try #require(SchedulePlan(change, at: time, on: weekdays, in: zone))
    }

    /// A node whose first device has received those commands one after another.
    private func bench(
        _ changes: [SettingChange], _ scenario: Scenario = .quiet
    ) -> (bench: NodeBench, verdicts: [Verdict]) {
        var bench = NodeBench(scenario, devices: 2)
        let verdicts = changes.enumerated().flatMap { place, change in
            bench.set(change, number: UInt64(place + 1)).verdicts
        }
        return (bench, verdicts)
    }

    @Test("a schedule command raises the version, and is remembered, answered and published")
    func command() throws {
        var bench = NodeBench(devices: 2)
        let plan = try plan(Self.off, at: "22:15", on: .working)
        let effects = bench.set(.schedule(Self.id, plan))
        let row = bench.node.truth[0]
        let due = Self.start.advanced(by: .seconds(14 * 3_600 + 15 * 60))
        #expect(
            row.settings?.schedules == [
                DeviceSchedule(id: Self.id, plan: plan, createdAt: Self.start, due: due, calendarDue: due)
            ])
        #expect(row.reported.version == Version(2))
        #expect(effects.verdicts == [.applied])
        #expect(effects.published == [row])
        #expect(try bench.memory().settings(of: row.device) == row.settings)
        #expect(try NodeBench(devices: 2).memory(and: effects).settings(of: row.device) == row.settings)
    }

    @Test("a schedule sets its device at each of its times, and stays")
    func again() throws {
        var (bench, _) = bench([
            .schedule(Self.id(1), try plan(Self.on, at: "09:00")),
            .schedule(Self.id(2), try plan(Self.off, at: "10:00", on: Weekdays([.friday, .sunday]))),
        ])
        let actions = bench.published(until: .seconds(3 * 86_400))
        let hours = actions.map { $0.at.components.seconds / 3_600 }
        #expect(hours == [1, 2, 25, 49, 50])
        #expect(actions.map(\.row.reported.state.isOn) == [true, false, true, true, false])
        #expect(actions.allSatisfy { $0.row.cause == .schedule })
        #expect(actions.map(\.row.reported.version.value) == [4, 5, 6, 7, 8])
        #expect(bench.settings?.schedules.map(\.id) == [Self.id(1), Self.id(2)])
    }

    @Test("a schedule follows daylight saving time of its zone")
    func clocks() throws {
        let days = 80
        var (bench, _) = bench([.schedule(Self.id, try plan(at: "12:00", in: "Europe/Oslo"))])
        var hours: [Int64] = []
        for _ in 0..<days {
            let due = try #require(bench.settings?.schedules.first?.due)
            hours.append(Self.start.duration(to: due).components.seconds % 86_400 / 3_600)
            bench.turn(after: .seconds(86_400))
        }
        // 2027-03-28 is the 72nd day after.
        #expect(hours == (0..<days).map { $0 < 72 ? 3 : 2 })
    }

    /// A clock on which an hour takes a second.
    private static func fast(from hour: Int) -> Scenario {
        var scenario = Scenario.quiet
        scenario.clock = Scenario.Clock(speed: 3_600, start: .init(secondOfDay: hour * 3_600))
        return scenario
    }

    @Test("a schedule follows the scenario's clock: its start on the day of the beginning, and its speed")
    func speed() throws {
        var (bench, _) = bench([.schedule(Self.id, try plan(at: "09:00", on: .working))], Self.fast(from: 7))
        let actions = bench.published(until: .seconds(100))
        // Friday 09:00, two hours after the start, and Monday and Tuesday.
        #expect(actions.map(\.at) == [.seconds(2), .seconds(74), .seconds(98)])
        let schedule = try #require(bench.settings?.schedules.first)
        #expect(schedule.due == Self.start.advanced(by: .seconds(122)))
        #expect(schedule.calendarDue == Self.start.advanced(by: .seconds(121 * 3_600)))
    }

    @Test("the clock of a node that starts later, or again, is that of its fleet")
    func restart() throws {
        let (first, _) = bench([.schedule(Self.id, try plan(at: "09:00"))], Self.fast(from: 7))
        let memory = try first.memory()
        func dueTimes(_ dayBeganAt: WallTime?) throws -> [Duration] {
            let again = NodeBench(
                Self.fast(from: 7), devices: 2, remembering: memory, after: .seconds(1),
                dayBeganAt: dayBeganAt)
            let row = again.node.truth[0]
            #expect(try first.memory(and: again.firstEffects).settings(of: row.device) == row.settings)
            return try #require(row.settings?.schedules).map {
                Self.start.duration(to: $0.due)
            }
        }
        #expect(try dueTimes(Self.start) == [.seconds(2)])
        // A fleet that starts again begins its day again, and remembers the new times.
        #expect(try dueTimes(nil) == [.seconds(3)])
        #expect(try dueTimes(Self.start.advanced(by: .seconds(-2))) == [.seconds(24)])
    }

    @Test("schedules follow the clock of another scenario from its beginning on")
    func otherClock() throws {
        var (bench, _) = bench([
            .schedule(Self.id(1), try plan(at: "09:00")), .schedule(Self.id(2), try plan(at: "10:00")),
            .scheduleEnabled(Self.id(2), false), .timer(Self.on, afterSeconds: 60),
        ])
        let effects = bench.step(.scenario(OrderID(bits: 1), Self.fast(from: 7), beganAt: bench.now.wall))
        let settings = try #require(bench.settings)
        #expect(settings.schedules.map { Self.start.duration(to: $0.due) } == [.seconds(2), .seconds(7_200)])
        #expect(settings.schedules.map(\.isEnabled) == [true, false])
        #expect(settings.timer?.due == Self.start.advanced(by: .seconds(60)))
        #expect(effects.published == [bench.node.truth[0]])
        #expect(
            try NodeBench(devices: 2).memory(and: effects).settings(of: bench.node.truth[0].device)
                == settings)
        let times = bench.published(until: .seconds(49)).map(\.at)
        #expect(times == [.seconds(2), .seconds(26)])
    }

    @Test("a timer and schedules due at one moment all run, the timer first")
    func together() throws {
        var (bench, _) = bench([
            .schedule(Self.id(1), try plan(Self.off, at: "09:00")),
            .schedule(Self.id(2), try plan(Self.on, at: "09:00")),
            .timer(Self.on, afterSeconds: 3_600),
        ])
        let actions = bench.published(until: .seconds(7_200))
        #expect(actions.map(\.at) == Array(repeating: .seconds(3_600), count: 3))
        #expect(actions.map(\.row.cause) == [.timer, .schedule, .schedule])
        #expect(actions.map(\.row.reported.state.isOn) == [true, false, true])
        #expect(bench.settings?.timer == nil)
    }

    /// The hours for which a node is away from Friday 08:00 on; the actions at its return, of a switch-off at
    /// 19:00 and a switch-on at 07:00; and the hours until these are due again.
    private static let absences: [(hours: Int64, actions: [Bool], next: [Int64])] = [
        (10, [], [11, 23]), (12, [false], [35, 23]), (26, [false, true], [35, 47]),
        // The second 19:00 counts, so it is later than 07:00.
        (36, [true, false], [59, 47]), (74, [false, true], [83, 95]),
        (24 * 100, [false, true], [2_411, 2_423]),
    ]

    @Test(
        "schedules that were due while a node was away run once at its return, the last one last",
        arguments: absences)
    func absence(hours: Int64, actions: [Bool], next: [Int64]) throws {
        let (first, _) = bench([
            .schedule(Self.id(1), try plan(Self.off, at: "19:00")),
            .schedule(Self.id(2), try plan(Self.on, at: "07:00")),
        ])
        let second = NodeBench(devices: 2, remembering: try first.memory(), after: .seconds(hours * 3_600))
        let done = second.firstEffects.published
        #expect(done.allSatisfy { $0.cause == .schedule })
        #expect(done.map(\.reported.state.isOn) == actions)
        let schedules = try #require(second.settings?.schedules)
        #expect(schedules.map { Self.start.duration(to: $0.due) } == next.map { .seconds($0 * 3_600) })
        #expect(schedules.allSatisfy { $0.due == $0.calendarDue })
    }

    @Test("a schedule runs once across a crash: the action and its next time are one memory entry")
    func crash() throws {
        var (bench, _) = bench([.schedule(Self.id, try plan(at: "09:00"))])
        let before = try bench.memory()
        var done: [Node.Effect] = []
        bench.run(until: .seconds(3_600)) { _, effect in done.append(effect) }
        #expect(done.remembered.count == 1)
        for (memory, actions) in [(before, 1), (try bench.memory(), 0)] {
            let again = NodeBench(devices: 2, remembering: memory, after: .seconds(3_601))
            #expect(again.firstEffects.published.count == actions)
            #expect(
                again.settings?.schedules.first?.due
                    == Self.start.advanced(by: .seconds(3_600 + 86_400)))
        }
    }

    @Test("a disabled schedule does nothing, and has its next time when enabled again")
    func disabled() throws {
        var (bench, verdicts) = bench([
            .schedule(Self.id, try plan(at: "09:00")), .scheduleEnabled(Self.id, false),
            .scheduleEnabled(Self.id, false),
        ])
        #expect(verdicts == [.applied, .applied, .unchanged])
        #expect(bench.published(until: .seconds(4 * 3_600)).isEmpty)
        #expect(bench.set(.scheduleEnabled(Self.id, true), number: 4).verdicts == [.applied])
        #expect(bench.published(until: .seconds(86_400 + 3_600)).map(\.at) == [.seconds(86_400 + 3_600)])
        #expect(bench.settings?.schedules.first?.createdAt == Self.start)
    }

    @Test("a removed or replaced schedule does nothing")
    func removed() throws {
        var (bench, verdicts) = bench([
            .schedule(Self.id(1), try plan(at: "09:00")), .schedule(Self.id(1), try plan(at: "09:00")),
            .schedule(Self.id(1), try plan(at: "11:00")), .schedule(Self.id(2), try plan(at: "10:00")),
            .noSchedule(Self.id(2)),
        ])
        #expect(verdicts == [.applied, .unchanged, .applied, .applied, .applied])
        #expect(bench.published(until: .seconds(4 * 3_600)).map(\.at) == [.seconds(3 * 3_600)])
        #expect(bench.set(.noSchedule(Self.id(1)), number: 6).verdicts == [.applied])
        #expect(bench.settings == nil)
    }

    @Test("an invalid schedule is refused with the allowed values")
    func refused() throws {
        let full = try (1...UInt64(Limits.deviceSchedules)).map {
            SettingChange.schedule(Self.id($0), try plan(at: "09:00"))
        }
        let hot = try plan(ACStateChange(targetTemperature: 99), at: "09:00")
        let wrong: [(SettingChange, String)] = [
            (.schedule(Self.id(9), try plan(at: "09:00")), "already has 8 schedules, the maximum"),
            (.schedule(Self.id(1), try plan(at: "09:00", in: "Mars/Olympus")), "Mars/Olympus: unknown here"),
            (.schedule(Self.id(1), hot), "schedule: target temperature 99"),
            (.scheduleEnabled(Self.id(9), true), "schedules: \(Self.id(1)), \(Self.id(2))"),
            (.noSchedule(Self.id(9)), "schedule \(Self.id(9)): not found"),
        ]
        for (change, text) in wrong {
            var (bench, _) = bench(full)
            let known = bench.settings
            let verdicts = bench.set(change, number: 9).verdicts
            guard case .rejected(let why)? = verdicts.first else {
                Issue.record("\(change) is \(verdicts)")
                continue
            }
            #expect(why.contains(text), "\(why)")
            #expect(bench.settings == known)
        }
        let (replaced, verdicts) = bench(full + [.schedule(Self.id(8), try plan(at: "10:00"))])
        #expect(verdicts.allSatisfy { $0 == .applied })
        #expect(replaced.settings?.schedules.count == Limits.deviceSchedules)
    }

    @Test("a schedule whose state is no longer supported does nothing, and continues")
    func notPossibleAnyMore() throws {
        var (bench, _) = bench([
            .schedule(Self.id, try plan(ACStateChange(targetTemperature: 20), at: "09:00"))
        ])
        bench.send(.command(bench.command(ACStateChange(mode: .fan), number: 2)))
        let before = bench.node.truth[0].reported
        #expect(before.state.mode == .fan)
        let actions = bench.published(until: .seconds(7_200))
        #expect(actions.map(\.row.reported.state) == [before.state])
        #expect(actions.map(\.row.reported.version) == [before.version.next])
        #expect(
            actions.first?.row.settings?.schedules.first?.due
                == Self.start.advanced(by: .seconds(3_600 + 86_400)))
    }

    @Test("many schedules due in one minute run in bounded steps, and none is omitted")
    func bounded() throws {
        let devices = Node.eventsPerStep + 200
        var bench = NodeBench(devices: devices)
        let plan = try plan(at: "09:00")
        for slot in 0..<devices { bench.set(.schedule(Self.id, plan), of: slot) }
        let first = bench.turn(after: .seconds(3_600))
        #expect(first.published.count == Node.eventsPerStep)
        #expect(bench.node.nextDue.map { $0 <= MonotonicTime.zero.advanced(by: bench.elapsed) } == true)
        #expect(bench.turn(after: .zero).published.count == 200)
        #expect(bench.node.truth.allSatisfy { $0.cause == .schedule && $0.reported.state.isOn })
    }
}
