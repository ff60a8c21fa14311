import ArgumentParser
import FleetClient
import FleetProtocol
import Stepping
import Wording

/// `fleet roster show`: shows who is on duty now, and when.
struct RosterShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show who is on duty now, and the shifts to come; `fleet roster` does, too.",
        discussion: """
            Times are those of the time zone in which the shifts were written. For scripts there is a line \
            for the roster, and one for each shift. With --csv every shift is a line of a file that `fleet \
            roster import` reads as the same shifts.

            EXAMPLES
              fleet roster
              fleet roster show --all --time-zone UTC
              fleet roster show --json | jq -r '.onDuty[]?.email'
              fleet roster show --csv | tee november.csv
            """)

    @Flag(name: .customLong("all"), help: "Show shifts that are over, too.")
    var showsAll = false

    @Flag(name: .customLong("csv"), help: "Print every shift as comma-separated values.")
    var isCSV = false

    @Option(
        help: ArgumentHelp("Whose clocks to show times by, as in Europe/Oslo.", valueName: "zone"),
        transform: TimeZoneName.parse)
    var timeZone: TimeZoneName?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !isCSV || !json.isWanted else {
            throw ValidationError("--csv and --json: name one of them")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let now = surroundings.now().wall
        let from = showsAll || isCSV ? WallTime(unixMilliseconds: 0) : now
        let (roster, plan) = try await access.withSession { try await $0.roster(from: from) }
        if json.isWanted {
            for value in [roster.json(plan, at: now)] + plan.shifts.map(\.json) {
                surroundings.print(value.line)
            }
            return .done
        }
        let clock = try PlaceClock.of(timeZone ?? roster.timeZone)
        if isCSV {
            for line in ShiftFile.lines(of: plan.shifts, by: clock) { surroundings.print(line) }
            return .done
        }
        let report = RosterReport(roster: roster, plan: plan, clock: clock, now: now)
        for line in report.lines { surroundings.print(line) }
        say(roster, plan, clock, in: surroundings)
        return .done
    }

    /// What is not in the plan that is shown.
    private func say(
        _ roster: Roster, _ plan: ShiftPlan, _ clock: PlaceClock, in surroundings: Surroundings
    ) {
        if roster.shifts == 0 {
            surroundings.say("fleet: there are no shifts; `fleet roster import FILE` brings some")
        } else {
            let over = Int(roster.shifts) - plan.shifts.count
            let rest = over > 0 ? "; \(Count.of(over, "shift")) over, which --all shows" : ""
            surroundings.say("\(Count.of(plan.shifts.count, "shift")), by the clocks of \(clock.zone)\(rest)")
        }
        if roster.isEnforced { surroundings.say("only people on duty, and owners, switch devices") }
    }
}
