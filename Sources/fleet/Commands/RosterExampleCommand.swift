import ArgumentParser
import FleetProtocol
import Runtime
import Stepping
import Wording

/// `fleet roster example`: prints an example of a roster file.
struct RosterExampleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "example",
        abstract: "Print an example file for `fleet roster import`.",
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
        let session = try StoredSession.read(
            from: try surroundings.runDirectory(runDirectory).sessionFile)
        let clock = try PlaceClock.of(surroundings.zone)
        for line in Self.lines(from: surroundings.now().wall, by: clock, for: session.email) {
            surroundings.print(line)
        }
        return .done
    }

    /// The lines of the file.
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
