import ArgumentParser
import FleetProtocol
import UserText

struct ScheduleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Set or show a device's weekly schedules.",
        discussion: """
            The device stores up to \(Limits.deviceSchedules) schedules, and follows them by the clock of a \
            time zone, also while its node or the controller is away; a change that was due while it was \
            away happens once, at its return. In a scenario that sets `clock`, schedules follow that \
            clock. Write a change as comma-separated words: on, off, a mode, whole degrees, fan:LEVEL.

            EXAMPLES
              fleet schedule "Bedroom 7" --at 22:15 --off
              fleet schedule "Hall 1" --at 06:30 --days mon-fri --set on,heat,21 --id k3Rx9QaB
              fleet schedule "Hall 1" --disable k3Rx9QaB
              fleet schedule "Hall 1"
            """)

    @OptionGroup var target: SettingOptions

    @Option(help: .value("time", "The time of day: 00:00 to 23:59."), transform: LocalTime.parse)
    var at: LocalTime?

    @Option(
        help: "The days of the week, such as mon-fri or sat,sun (default: every day).",
        transform: Weekdays.parse)
    var days: Weekdays?

    @Option(help: "The time zone of --at (default: this machine's).", transform: TimeZoneName.parse)
    var zone: TimeZoneName?

    @OptionGroup var planned: PlannedChangeOptions

    @Option(
        help: "The schedule's ID; an existing schedule is replaced (default: a new ID).",
        transform: ScheduleID.parse)
    var id: ScheduleID?

    @Option(help: .value("id", "Enable this schedule."), transform: ScheduleID.parse) var enable: ScheduleID?

    @Option(help: .value("id", "Disable this schedule, but keep it."), transform: ScheduleID.parse)
    var disable: ScheduleID?

    @Option(help: .value("id", "Remove this schedule."), transform: ScheduleID.parse) var remove: ScheduleID?

    func validate() throws {
        let others = [enable, disable, remove].compactMap { $0 }
        let isPlan = at != nil || days != nil || zone != nil || planned.isGiven || id != nil
        try require(
            others.count + (isPlan ? 1 : 0) <= 1,
            "one at a time: a schedule with --at, or --enable, --disable or --remove")
        try planned.check()
        try require(
            !isPlan || at != nil && planned.isGiven,
            "time or change missing: give --at 22:15 and one of --on, --off and --set")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let newID = ScheduleID(randomBits: surroundings.randomBits())
        let change = change(as: newID, in: surroundings.zone)
        return try await target.run(change, in: surroundings) { settings, _ in
            settings.schedules.isEmpty
                ? "no schedule; add one with --at and --off, --on or --set"
                : settings.schedules.map(\.text).joined(separator: "; ")
        }
    }

    func change(as newID: ScheduleID, in ownZone: TimeZoneName) -> SettingChange? {
        if let enable { return .scheduleEnabled(enable, true) }
        if let disable { return .scheduleEnabled(disable, false) }
        if let remove { return .noSchedule(remove) }
        guard let at else { return nil }
        let plan = SchedulePlan(
            change: planned.change, time: at, weekdays: days ?? .all, zone: zone ?? ownZone)
        return .schedule(id ?? newID, plan)
    }
}

struct TimerCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "timer", abstract: "Set or show a device's timer.",
        discussion: """
            The timer changes the device once, after a delay. The device runs it by the simulated \
            clock, also while its node or the controller is away; a change that was due while it \
            was away happens at its return. A new timer replaces the one before. Write a change \
            as comma-separated words: on, off, a mode, whole degrees, fan:LEVEL.

            EXAMPLES
              fleet timer "Bedroom 7" --in 30m --off
              fleet timer "Hall 1" --in 7h --set on,heat,21
              fleet timer "Hall 1" --cancel
              fleet timer "Hall 1"
            """)

    @OptionGroup var target: SettingOptions

    private static let shortest = Duration.seconds(Int64(SettingChange.timerSeconds.lowerBound))
    private static let longest = Duration.seconds(Int64(SettingChange.timerSeconds.upperBound))

    @Option(
        name: .customLong("in"), help: .value("duration", "The delay: 1s to 24h of the simulated clock."),
        transform: { try .parse($0, from: shortest, upTo: longest, "a timer is") })
    var delay: Duration?

    @OptionGroup var planned: PlannedChangeOptions
    @Flag(help: "Cancel the timer.") var cancel = false

    func validate() throws {
        if cancel, delay != nil || planned.isGiven {
            throw ValidationError("--cancel takes no other option: leave out --in, --on, --off and --set")
        }
        try planned.check()
        try require(
            (delay != nil) == planned.isGiven,
            "delay or change missing: give --in 30m and one of --on, --off and --set")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.timer?.text ?? "no timer; set one with --in and --off, --on or --set"
        }
    }

    /// The requested change; nil to show the timer.
    var change: SettingChange? {
        if cancel { return .noTimer }
        guard let delay else { return nil }
        return .timer(planned.change, afterSeconds: UInt32(clamping: delay.wholeMilliseconds / 1_000))
    }
}

struct PlannedChangeOptions: ParsableArguments {
    @OptionGroup var onOff: PowerOptions

    @Option(help: .value("change", "The change, such as on,heat,21."), transform: ACStateChange.parse)
    var set: ACStateChange?

    var isGiven: Bool { onOff.isOn != nil || set != nil }
    var change: ACStateChange { self.set ?? ACStateChange(isOn: onOff.isOn) }

    /// Throws a `ValidationError` for both a power and a change.
    func check() throws {
        try require(onOff.isOn == nil || set == nil, "--set includes on or off: leave out --on and --off")
    }
}
