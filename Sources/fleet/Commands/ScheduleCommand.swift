import ArgumentParser
import FleetProtocol
import Wording

/// `fleet schedule`: has a device set on days of the week.
struct ScheduleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Have a device set at a time of day, on days of the week; or show its schedules.",
        discussion: """
            The device itself keeps them, \(Limits.deviceSchedules) at most, by the clocks of a time zone, also \
            while its node or the controller is away; what was due meanwhile is done at its return, once. \
            Where the simulated clock goes faster, so does its calendar, from when the device hears of a \
            schedule. A change is what it sets, word by word with commas between: on, off, a mode, whole \
            degrees, fan:LEVEL.

            EXAMPLES
              fleet schedule "Bedroom 7" --at 22:15 --off
              fleet schedule "Hall 1" --at 06:30 --days mon-fri --set on,heat,21 --id k3Rx9QaB
              fleet schedule "Hall 1" --disable k3Rx9QaB
              fleet schedule "Hall 1"
            """)

    @OptionGroup var target: SettingOptions

    @Option(
        help: ArgumentHelp("At what time of day: 00:00 to 23:59.", valueName: "time"),
        transform: LocalTime.parse)
    var at: LocalTime?

    @Option(
        help: ArgumentHelp(
            "On which days, such as mon-fri or sat,sun (default: every day).", valueName: "days"),
        transform: Weekdays.parse)
    var days: Weekdays?

    @Option(
        help: ArgumentHelp("By the clocks of which time zone (default: this machine's).", valueName: "zone"),
        transform: TimeZoneName.parse)
    var zone: TimeZoneName?

    @Flag(exclusivity: .exclusive)
    var power: SetCommand.Power?

    @Option(
        help: ArgumentHelp("What is set then, such as on,heat,21.", valueName: "change"),
        transform: ACStateChange.parse)
    var set: ACStateChange?

    @Option(
        help: ArgumentHelp(
            "In place of the schedule of that id, if there is one (default: a new id).", valueName: "id"),
        transform: ScheduleID.parse)
    var id: ScheduleID?

    @Option(help: ArgumentHelp("Have it happen again.", valueName: "id"), transform: ScheduleID.parse)
    var enable: ScheduleID?

    @Option(
        help: ArgumentHelp("Keep it, and let it happen no more.", valueName: "id"),
        transform: ScheduleID.parse)
    var disable: ScheduleID?

    @Option(help: ArgumentHelp("Forget it.", valueName: "id"), transform: ScheduleID.parse)
    var remove: ScheduleID?

    func validate() throws {
        let others = [enable, disable, remove].compactMap { $0 }
        let isPlan = at != nil || days != nil || zone != nil || power != nil || set != nil || id != nil
        guard others.count + (isPlan ? 1 : 0) <= 1 else {
            throw ValidationError("one at a time: a plan with --at, or --enable, --disable or --remove")
        }
        guard power == nil || set == nil else {
            throw ValidationError("--set says on or off too: leave out --on and --off")
        }
        guard !isPlan || at != nil && (power != nil || set != nil) else {
            throw ValidationError("say when and what: --at 22:15 and one of --on, --off and --set")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let newID = ScheduleID(randomBits: surroundings.randomBits())
        let change = change(as: newID, in: surroundings.zone)
        return try await target.run(change, in: surroundings) { settings, _ in
            settings.schedules.isEmpty
                ? "no schedule; add one with --at and --off, --on or --set"
                : settings.schedules.map(\.words).joined(separator: "; ")
        }
    }

    /// What is asked; nil for nothing.
    ///
    /// - Parameters:
    ///   - newID: What another schedule is called.
    ///   - ownZone: The time zone where none is named.
    func change(as newID: ScheduleID, in ownZone: TimeZoneName) -> SettingChange? {
        if let enable { return .scheduleEnabled(enable, true) }
        if let disable { return .scheduleEnabled(disable, false) }
        if let remove { return .noSchedule(remove) }
        guard let at else { return nil }
        let wanted = set ?? ACStateChange(isOn: power.map { $0 == .on })
        let plan = SchedulePlan(change: wanted, time: at, weekdays: days ?? .all, zone: zone ?? ownZone)
        return .schedule(id ?? newID, plan)
    }
}
