import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserFiles
import UserText

struct RosterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster",
        abstract: "Show and set who is on duty when, and the message of the day.",
        discussion: """
            All users of the account can see its roster; owners can change it. In a fleet that was started \
            with --on-duty-only, members can switch devices only while they are on duty, owners always.

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

extension ZoneClock {
    /// Returns the clock of a time zone; a failure of status 64 if this machine does not know it.
    static func of(_ zone: TimeZoneName) throws(CommandFailure) -> ZoneClock {
        guard let clock = ZoneClock(zone, in: Environment.timeZones) else {
            throw CommandFailure(
                .usage, "this machine has no time zone '\(zone)'",
                advice: "use --time-zone with a name of the IANA database, such as Europe/Oslo")
        }
        return clock
    }
}

struct RosterShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show who is on duty now, and upcoming shifts; same as `fleet roster`.",
        discussion: """
            Times are in the time zone in which the shifts were written. With --json it prints an object for \
            the roster, and one for each shift. With --csv it prints a file that `fleet roster import` reads \
            as the same shifts.

            EXAMPLES
              fleet roster
              fleet roster show --all --time-zone UTC
              fleet roster show --json | jq -r '.onDuty[]?.email'
              fleet roster show --csv | tee november.csv
            """)

    @Flag(name: .customLong("all"), help: "Include past shifts.") var showsAll = false
    @Flag(name: .customLong("csv"), help: "Print every shift as comma-separated values.") var isCSV = false
    @OptionGroup var csv: CSVOptions

    @Option(
        help: .value("zone", "The time zone of the output, such as Europe/Oslo."),
        transform: TimeZoneName.parse)
    var timeZone: TimeZoneName?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(!isCSV || !client.json.isWanted, "give --csv or --json, not both")
        try require(!csv.csvSafe || isCSV, "--csv-safe needs --csv")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        let now = surroundings.now().wall
        let from = showsAll || isCSV ? WallTime(unixMilliseconds: 0) : now
        let (roster, plan) = try await access.withSession { try await $0.roster(from: from) }
        if client.json.isWanted {
            for value in [roster.json(plan, at: now)] + plan.shifts.map(\.json) {
                try surroundings.print(value.line)
            }
            return .done
        }
        let clock = try ZoneClock.of(timeZone ?? roster.timeZone)
        if isCSV {
            for line in ShiftFile.lines(of: plan.shifts, by: clock, csv.text) { try surroundings.print(line) }
            return .done
        }
        let report = RosterReport(roster: roster, plan: plan, clock: clock, now: now)
        for line in report.lines { try surroundings.print(line) }
        notify(roster, plan, clock, in: surroundings)
        return .done
    }

    /// Reports the number of shifts, the time zone and an enforced roster on standard error.
    private func notify(
        _ roster: Roster, _ plan: ShiftPlan, _ clock: ZoneClock, in surroundings: Surroundings
    ) {
        if roster.shifts == 0 {
            surroundings.notify("fleet: no shifts; import some with `fleet roster import FILE`")
        } else {
            let over = Int(roster.shifts) - plan.shifts.count
            let rest = over > 0 ? "; \(Count.of(over, "past shift")): use --all" : ""
            surroundings.notify("\(Count.of(plan.shifts.count, "shift")), times in \(clock.zone)\(rest)")
        }
        if roster.isEnforced { surroundings.notify("only owners and people on duty can switch devices") }
    }
}

struct RosterSetCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set the roster's name and the message of the day.",
        discussion: """
            What you leave out stays unchanged; an empty text removes the value. If another user changes the \
            roster at the same time, nothing is changed.

            EXAMPLES
              fleet roster set --name "Harbour Hotel"
              fleet roster set --message "The lift is out of order."
              fleet roster set --message ""
            """)

    @Option(
        parsing: .unconditional,
        help: "The name of the roster's organization: a line of \(Limits.nameBytes) bytes at most.")
    var name: String?

    @Option(
        parsing: .unconditional,
        help: .value(
            "text", "The message of the day: plain text of \(Limits.rosterMessageBytes) bytes at most."))
    var message: String?

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(name != nil || message != nil, "nothing to set: add --name or --message")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let now = access.surroundings.now().wall
        let (roster, plan) = try await access.withSession { client in
            let (known, plan) = try await client.roster(from: now)
            let heading = try RosterHeading(
                name: name ?? known.heading.name, message: message ?? known.heading.message)
            return (try await client.changeRoster(from: known.version, to: heading), plan)
        }
        return CommandOutput(roster.json(plan, at: now), "roster changed (version \(roster.version))")
    }
}

struct RosterExampleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "example", abstract: "Print an example file for `fleet roster import`.",
        discussion: """
            It has a day shift and a night shift for each of the next seven days. The first person is the \
            user who is logged in, so the file also works with --on-duty-only.

            EXAMPLES
              fleet roster example
              fleet roster example > november.csv
            """)

    /// The number of days in the example, from today on.
    static let days: Int64 = 7

    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let sessions = UserSessions(directory: try surroundings.runDirectory(runDirectory))
        let session = try StoredSession.read(from: sessions.file(of: user.user))
        let clock = try ZoneClock.of(surroundings.zone)
        for line in Self.lines(from: surroundings.now().wall, by: clock, for: session.email) {
            try surroundings.print(line)
        }
        return .done
    }

    /// Returns the lines of the file: the column names, then a day and a night shift for each day.
    static func lines(from now: WallTime, by clock: ZoneClock, for email: Email) -> [String] {
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

struct RosterReport {
    let roster: Roster
    let plan: ShiftPlan
    let clock: ZoneClock
    let now: WallTime

    var lines: [String] { heading + [dutyLine] + nextLines + table }

    private var heading: [String] {
        var lines: [String] = []
        if !roster.heading.name.isEmpty { lines.append(SafeText.of(roster.heading.name)) }
        lines += roster.heading.message.safeLines
        return lines.isEmpty || lines == [""] ? [] : lines + [""]
    }

    private var dutyLine: String {
        let present = plan.onDuty(at: now)
        guard present.isEmpty else {
            let people = present.map { "\($0.text) until \(clock.local($0.to))" }
            return "on duty now: \(people.joined(separator: ", "))"
        }
        let until = plan.nextDuty(from: now).map { " until \(clock.local($0))" } ?? ""
        return "no one is on duty\(until)"
    }

    private var nextLines: [String] {
        guard let next = plan.upcoming(after: now).first else { return [] }
        return ["next: \(next.text) from \(clock.local(next.from))"]
    }

    private var table: [String] {
        guard !plan.shifts.isEmpty else { return [] }
        var table = TextTable([("WHO", .left), ("FROM", .left), ("TO", .left), ("", .left)])
        for shift in plan.shifts {
            let sign = shift.contains(now) ? "on duty" : shift.to <= now ? "over" : ""
            table.add([shift.text, "\(clock.local(shift.from))", "\(clock.local(shift.to))", sign])
        }
        return [""] + table.lines + Self.remarks(on: plan, by: clock)
    }

    /// Returns a line for the gaps of a plan and one for its overlaps, if there are any.
    static func remarks(on plan: ShiftPlan, by clock: ZoneClock) -> [String] {
        remarks("no one is on duty", on: plan.gaps, by: clock)
            + remarks("several people are on duty", on: plan.overlaps, by: clock)
    }

    /// Returns a line with the first span and the number of others; empty without spans.
    private static func remarks(_ what: String, on spans: [ShiftPlan.Span], by clock: ZoneClock) -> [String] {
        guard let first = spans.first else { return [] }
        let rest = spans.count > 1 ? ", and \(Count.of(spans.count - 1, "time")) more" : ""
        return ["\(what) from \(clock.local(first.from)) to \(clock.local(first.to))\(rest)"]
    }
}
