import ArgumentParser
import FleetClient
import FleetProtocol
import FleetTime
import ProcessSupport
import UserText

/// `fleet roster`: the commands for the account's roster.
struct RosterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster",
        abstract: "Show who is on duty when, import shifts, and say the message of the day.",
        discussion: """
            Everybody of the account sees its roster; owners change it. Of a fleet that was started with \
            --on-duty-only, members switch devices while they are on duty, and owners always.

            EXAMPLES
              fleet roster
              fleet roster example > november.csv
              fleet roster import --time-zone Europe/Oslo november.csv
              fleet roster set --message "The lift is out of order."
              fleet roster show --csv | tee november.csv
            """,
        subcommands: [
            RosterShowCommand.self, RosterExampleCommand.self, RosterImportCommand.self,
            RosterSetCommand.self,
        ],
        defaultSubcommand: RosterShowCommand.self)
}

extension PlaceClock {
    /// Returns the clock of a time zone.
    ///
    /// - Throws: `CommandFailure` of status 64 if the time zone is unknown on this machine.
    static func of(_ zone: TimeZoneName) throws(CommandFailure) -> PlaceClock {
        guard let clock = PlaceClock(zone) else {
            throw CommandFailure(
                .usage, "there is no time zone '\(zone)' here",
                advice: "name one of the IANA database with --time-zone, as in Europe/Oslo")
        }
        return clock
    }
}

/// `fleet roster show`: shows who is on duty now, and the shifts.
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

    @Flag(name: .customLong("all"), help: "Show shifts that are over, too.") var showsAll = false

    @Flag(name: .customLong("csv"), help: "Print every shift as comma-separated values.") var isCSV = false

    @Option(
        help: ArgumentHelp("Whose clocks to show times by, as in Europe/Oslo.", valueName: "zone"),
        transform: TimeZoneName.parse)
    var timeZone: TimeZoneName?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard !isCSV || !json.isWanted else { throw ValidationError("--csv and --json: name one of them") }
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

    /// Reports the number of shifts, the time zone and an enforced roster on standard error.
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

/// `fleet roster set`: changes the roster's name and message of the day.
struct RosterSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Say what the roster is called, and the message of the day.",
        discussion: """
            What is not named stays as it is, and an empty text takes away what was said. Nothing is changed \
            where somebody else has changed the roster meanwhile.

            EXAMPLES
              fleet roster set --name "Harbour Hotel"
              fleet roster set --message "The lift is out of order."
              fleet roster set --message ""
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What whoever has the roster is called: a line of \(Limits.nameBytes) bytes at most.",
            valueName: "name"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The message of the day: plain text of \(Limits.rosterMessageBytes) bytes at most.",
            valueName: "text"))
    var message: String?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(name != nil || message != nil, "nothing to set: name --name or --message")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let now = access.surroundings.now().wall
        let (roster, plan) = try await access.withSession { client in
            let (known, plan) = try await client.roster(from: now)
            let heading = try RosterHeading(
                name: name ?? known.heading.name, message: message ?? known.heading.message)
            return (try await client.changeRoster(from: known.version, to: heading), plan)
        }
        return CommandOutput(roster.json(plan, at: now), "the roster is changed (version \(roster.version))")
    }
}

/// `fleet roster example`: prints an example of a roster file.
struct RosterExampleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Print an example file for `fleet roster import`.",
        discussion: """
            It has a day shift and a night shift for each of the next seven days. The first person is the \
            user who is logged in here, so the file works with --on-duty-only, too.

            EXAMPLES
              fleet roster example
              fleet roster example > november.csv
            """)

    /// The number of days in the example, from today on.
    static let days: Int64 = 7

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let session = try StoredSession.read(from: try surroundings.runDirectory(runDirectory).sessionFile)
        let clock = try PlaceClock.of(surroundings.zone)
        for line in Self.lines(from: surroundings.now().wall, by: clock, for: session.email) {
            surroundings.print(line)
        }
        return .done
    }

    /// Returns the lines of the file: the column names, then a day and a night shift for each day.
    static func lines(from now: WallTime, by clock: PlaceClock, for email: Email) -> [String] {
        guard let morning = LocalTime("08:00"), let evening = LocalTime("20:00") else {
            preconditionFailure("both are times of day")
        }
        let today = clock.local(now)
        let shifts = (0..<days).flatMap { day -> [String] in
            let date = LocalMoment(milliseconds: today.milliseconds + day * 86_400_000)
            return [
                "Demo,\(email.address),\(date.at(morning)),20:00",
                "Kari,kari@example.com,\(date.at(evening)),08:00",
            ]
        }
        return ["who,email,from,to"] + shifts
    }
}
