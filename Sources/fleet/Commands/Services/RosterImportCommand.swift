import ArgumentParser
import FleetClient
import FleetProtocol
import FoundationEssentials
import ProcessSupport
import UserFiles
import UserText

struct RosterImportCommand: FleetCommand {
    /// The maximum number of invalid lines that an error lists.
    private static let shownProblems = 20

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Replace all shifts of the roster with those of a file.",
        discussion: """
            The file has values separated by commas, semicolons or tabs (RFC 4180), as spreadsheets export \
            them. Its first line names the columns who, from, to and optionally email, in any order; other \
            columns and empty rows are ignored. A line such as sep=; may come before. Who is a name, an \
            email address, or both, as in Kari <kari@example.com>; the address identifies the user. Write \
            times as 2026-11-23 22:00 in the time zone, or in ISO 8601 with an offset, as in \
            2026-11-23T22:00+01:00. An end may be a time of day, such as 06:00: the first such time after \
            the beginning. If clocks show a time twice, the first counts; a time that they never show is \
            an error.

            If any line is invalid, the command lists the invalid lines and imports nothing. Shifts may \
            overlap and leave gaps; the command reports both.

            EXAMPLES
              fleet roster example > november.csv
              fleet roster import --dry-run november.csv
              fleet roster import --time-zone Europe/Oslo november.csv
            """)

    @Argument(help: "The file.", completion: .file()) var file: String

    @Option(
        help: .value(
            "zone",
            "The time zone of times without an offset, such as Europe/Oslo (default: that of the roster; "
                + "without shifts, that of this machine)."),
        transform: TimeZoneName.parse)
    var timeZone: TimeZoneName?

    @Flag(help: "Check the file, and import nothing.") var dryRun = false
    @Flag(help: "Accept a file without shifts, which removes all shifts.") var allowEmpty = false
    @OptionGroup var client: ClientOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let content = try read(in: surroundings)
        let access = try client.access(in: surroundings)
        let (roster, plan, clock) = try await access.withSession { client in
            let end = WallTime(unixMilliseconds: Shift.times.upperBound)
            let (known, _) = try await client.roster(from: end)
            let zone = timeZone ?? (known.shifts > 0 ? known.timeZone : surroundings.zone)
            let clock = try ZoneClock.of(zone)
            let shifts = try shifts(in: content, by: clock, surroundings)
            guard !dryRun else { return (known, ShiftPlan(shifts), clock) }
            let (roster, strangers) = try await client.replaceShifts(
                shifts, in: zone, from: known.version, requestID: surroundings.makeRequestID())
            notify(strangers, in: surroundings)
            return (roster, ShiftPlan(shifts), clock)
        }
        notify(plan, by: clock, in: surroundings)
        if client.json.isWanted {
            try surroundings.print(roster.json(plan, at: surroundings.now().wall).line)
        } else {
            try surroundings.print(summary(of: plan, roster, by: clock))
        }
        return .done
    }

    private func read(in surroundings: Surroundings) throws(CommandFailure) -> [UInt8] {
        let name = SafeText.of(file)
        guard let content = FileManager.default.contents(atPath: surroundings.path(of: file)) else {
            throw CommandFailure(
                .usage, "\(name): no such file, or not readable",
                advice: "`fleet roster example > \(name)` writes an example")
        }
        guard content.count <= ShiftFile.bytesAtMost else {
            throw CommandFailure(
                .usage, "\(name) is larger than \(ShiftFile.bytesAtMost >> 20) MiB",
                advice: "use a file that has only shifts")
        }
        return Array(content)
    }

    private func shifts(
        in content: [UInt8], by clock: ZoneClock, _ surroundings: Surroundings
    ) throws(CommandFailure) -> [Shift] {
        let read: ShiftFile
        do throws(ShiftFile.Unusable) {
            read = try ShiftFile(content, by: clock)
        } catch {
            let shown = error.problems.prefix(Self.shownProblems).map { "  \($0)" }
            let rest = error.problems.count - shown.count
            let more = rest > 0 ? ["  and \(Count.of(rest, "line")) more"] : []
            throw CommandFailure(
                .usage,
                (["\(SafeText.of(file)): nothing was imported"] + shown + more).joined(separator: "\n"))
        }
        guard !read.shifts.isEmpty || allowEmpty else {
            throw CommandFailure(
                .usage, "\(SafeText.of(file)) has no shifts, so nothing was imported",
                advice: "to remove all shifts, use --allow-empty")
        }
        for note in read.notes { surroundings.notify("\(SafeText.of(file)), \(note)") }
        return read.shifts
    }

    private func notify(_ strangers: [Email], in surroundings: Surroundings) {
        guard !strangers.isEmpty else { return }
        let named = strangers.map { SafeText.of($0.address) }.joined(separator: ", ")
        surroundings.notify("no user \(named) yet; the shifts apply once there is one")
    }

    private func notify(_ plan: ShiftPlan, by clock: ZoneClock, in surroundings: Surroundings) {
        for remark in RosterReport.remarks(on: plan, by: clock) { surroundings.notify(remark) }
    }

    private func summary(of plan: ShiftPlan, _ roster: Roster, by clock: ZoneClock) -> String {
        let count = Count.of(plan.shifts.count, "shift")
        var span = ""
        if let first = plan.shifts.first, let last = plan.shifts.map(\.to).max() {
            span = ", from \(clock.local(first.from)) to \(clock.local(last)) (\(clock.zone))"
        }
        if dryRun { return "\(count) would be imported\(span)" }
        return "\(count) imported\(span), version \(roster.version)"
    }
}
