import ArgumentParser
import FleetProtocol
import Stepping
import Wording

/// `fleet filter`: tells how long a device's filters have been in use.
struct FilterCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter",
        abstract: "Tell how long a device has run since its filters were cleaned.",
        discussion: """
            It is counted by the simulated clock while the air conditioner is on, from \
            when its filters are cleaned for the first time or the threshold is set.

            EXAMPLES
              fleet filter "Bedroom 7"
              fleet filter "Bedroom 7" --clean
              fleet filter "Hall 1" --threshold 200h
            """)

    @OptionGroup var target: SettingOptions

    @Flag(help: "The filters are clean: count from nothing again.")
    var clean = false

    @Option(
        help: ArgumentHelp(
            "After how much running they should be cleaned: 1h to 10000h.", valueName: "duration"),
        transform: { try .parse($0, upTo: DurationText.limit, "a threshold is") })
    var threshold: Duration?

    func validate() throws {
        guard !clean || threshold == nil else {
            throw ValidationError("one at a time: --clean or --threshold")
        }
        if let threshold, threshold < .seconds(Int64(SettingChange.filterSeconds.lowerBound)) {
            throw ValidationError("a threshold is at least 1h")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, surroundings in
            guard let filter = settings.filter else {
                return "nobody counts; begin with --clean"
            }
            return Self.words(filter, at: surroundings.now().wall)
        }
    }

    /// What is asked; nil for nothing.
    var change: SettingChange? {
        if clean { return .filterCleaned }
        return threshold.map {
            .filterThreshold(seconds: UInt32(clamping: $0.wholeMilliseconds / 1_000))
        }
    }

    private static func words(_ filter: FilterStatus, at now: WallTime) -> String {
        let run = FilterStatus.hours(filter.runningSeconds(at: now))
        let threshold = FilterStatus.hours(Double(filter.thresholdSeconds))
        let cleaned = filter.cleanedAt.map { ", cleaned at \(TimeText.iso8601($0))" } ?? ""
        let advice = filter.shouldClean(at: now) ? "; clean it, and say so with --clean" : ""
        return "filter has run \(run) of \(threshold)\(cleaned)\(advice)"
    }
}
