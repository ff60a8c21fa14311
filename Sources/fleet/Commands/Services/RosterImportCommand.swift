import ArgumentParser
import FleetClient
import FleetProtocol
import FleetTime
import FoundationEssentials
import UserText

/// `fleet roster import`: replaces the roster's shifts with the shifts of a file.
struct RosterImportCommand: FleetCommand {
    /// The maximum number of invalid lines that an error lists.
    private static let problemsTold = 20

    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Have the shifts of a file take the place of all that are in the roster.",
        discussion: """
            The file has comma-separated values, or values parted by semicolons or tabs. Its first line \
            names the columns who, from and to, in any order, and email where wanted; others are not read. \
            Who is a name, an email address, or both, as in Kari <kari@example.com>; whoever logs in by the \
            address is meant. Times are 2026-11-23 22:00 by the clocks of the time zone, or ISO 8601 with an \
            offset, as in 2026-11-23T22:00+01:00. The end may be a time alone, such as 06:00: the next after \
            the beginning. A time that the clocks show twice is the first of both; one that they never show \
            is refused.

            Every line that cannot be taken is named, and then nothing is imported. Shifts may overlap, and \
            leave gaps; you are told of them.

            EXAMPLES
              fleet roster example > november.csv
              fleet roster import --dry-run november.csv
              fleet roster import --time-zone Europe/Oslo november.csv
            """)

    @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file()) var file: String

    @Option(
        help: ArgumentHelp(
            """
            Whose clocks times without an offset are by, as in Europe/Oslo (default: that of the roster, or \
            of this machine where there is no shift yet).
            """, valueName: "zone"),
        transform: TimeZoneName.parse)
    var timeZone: TimeZoneName?

    @Flag(help: "Say what would be imported, and import nothing.") var dryRun = false

    @Flag(help: "Take a file without shifts, too: nobody is on duty any more.") var allowEmpty = false

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let text = try read(in: surroundings)
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let (roster, plan, clock) = try await access.withSession { client in
            let end = WallTime(unixMilliseconds: Shift.times.upperBound)
            let (known, _) = try await client.roster(from: end)
            let zone = timeZone ?? (known.shifts > 0 ? known.timeZone : surroundings.zone)
            let clock = try PlaceClock.of(zone)
            let shifts = try shifts(in: text, by: clock, surroundings)
            guard !dryRun else { return (known, ShiftPlan(shifts), clock) }
            let (roster, strangers) = try await client.replaceShifts(
                shifts, in: zone, from: known.version, requestID: surroundings.makeRequestID())
            say(strangers, in: surroundings)
            return (roster, ShiftPlan(shifts), clock)
        }
        say(plan, by: clock, in: surroundings)
        if json.isWanted {
            surroundings.print(roster.json(plan, at: surroundings.now().wall).line)
        } else {
            surroundings.print(words(of: plan, roster, by: clock))
        }
        return .done
    }

    private func read(in surroundings: Surroundings) throws(CommandFailure) -> String {
        let path = file.hasPrefix("/") ? file : "\(surroundings.workingDirectory)/\(file)"
        let name = SafeText.of(file)
        guard let content = FileManager.default.contents(atPath: path) else {
            throw CommandFailure(
                .usage, "cannot read \(name): no such file, or not readable",
                advice: "`fleet roster example > \(name)` writes an example")
        }
        guard content.count <= ShiftFile.bytesAtMost else {
            throw CommandFailure(
                .usage, "\(name) has more than \(ShiftFile.bytesAtMost >> 20) MiB",
                advice: "name a file of shifts alone")
        }
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CommandFailure(
                .usage, "\(name) is not UTF-8", advice: "save it as comma-separated values in UTF-8")
        }
        return text
    }

    private func shifts(
        in text: String, by clock: PlaceClock, _ surroundings: Surroundings
    ) throws(CommandFailure) -> [Shift] {
        let read: ShiftFile
        do throws(ShiftFile.Unusable) {
            read = try ShiftFile(text, by: clock)
        } catch {
            let told = error.problems.prefix(Self.problemsTold).map { "  \($0)" }
            let rest = error.problems.count - told.count
            let more = rest > 0 ? ["  and \(Count.of(rest, "line")) more"] : []
            throw CommandFailure(
                .usage,
                (["\(SafeText.of(file)): nothing was imported"] + told + more).joined(separator: "\n"))
        }
        guard !read.shifts.isEmpty || allowEmpty else {
            throw CommandFailure(
                .usage, "\(SafeText.of(file)) has no shifts, so nothing was imported",
                advice: "to have nobody on duty any more, say --allow-empty")
        }
        for note in read.notes { surroundings.say("\(SafeText.of(file)), \(note)") }
        return read.shifts
    }

    private func say(_ strangers: [Email], in surroundings: Surroundings) {
        guard !strangers.isEmpty else { return }
        let named = strangers.map { SafeText.of($0.address) }.joined(separator: ", ")
        surroundings.say("nobody of the account logs in as \(named); whoever does one day is meant then")
    }

    private func say(_ plan: ShiftPlan, by clock: PlaceClock, in surroundings: Surroundings) {
        let remarks =
            RosterReport.remarks("nobody is on duty", on: plan.gaps, by: clock)
            + RosterReport.remarks("several people are on duty", on: plan.overlaps, by: clock)
        for remark in remarks { surroundings.say(remark) }
    }

    private func words(of plan: ShiftPlan, _ roster: Roster, by clock: PlaceClock) -> String {
        let count = Count.of(plan.shifts.count, "shift")
        var span = ""
        if let first = plan.shifts.first, let last = plan.shifts.map(\.to).max() {
            span = ", from \(clock.local(first.from)) to \(clock.local(last)) (\(clock.zone))"
        }
        if dryRun { return "\(count) would be imported\(span)" }
        return "\(count) imported\(span), version \(roster.version)"
    }
}
