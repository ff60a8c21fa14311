import ArgumentParser
import FleetProtocol
import FleetTime
import UserText

/// `fleet climate-react`: shows or changes the Climate React settings of devices.
struct ClimateReactCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "climate-react",
        abstract: "Have a device keep its room in a range by itself; or show which.",
        discussion: """
            When a measurement is the first beyond a threshold the device is set, and \
            then left in peace until its room has been back within. Below it heats and \
            above it cools (with --by humidity: off, and dry), unless a change says \
            otherwise: on, off, a mode, whole degrees and fan:LEVEL, with commas between.

            EXAMPLES
              fleet climate-react "Bedroom 7" --below 19 --above 26
              fleet climate-react "Hall 1" --above 65 --by humidity
              fleet climate-react "Hall 1" --below 18.5 --set-below on,heat,21 --by feelsLike
              fleet climate-react "Hall 1" --off
            """)

    @OptionGroup var target: SettingOptions

    @Flag(exclusivity: .exclusive) var power: SetCommand.Power?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Act below this, in °C or percent, one decimal at most.", valueName: "threshold"))
    var below: Threshold?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Act above this, in °C or percent, one decimal at most.", valueName: "threshold"))
    var above: Threshold?

    @Option(help: ArgumentHelp("What of the room it goes by (default: temperature).", valueName: "measure"))
    var by: ClimateReact.Measure?

    @Option(
        help: ArgumentHelp("What is set below (default: on,heat).", valueName: "change"),
        transform: ACStateChange.parse)
    var setBelow: ACStateChange?

    @Option(
        help: ArgumentHelp("What is set above (default: on,cool).", valueName: "change"),
        transform: ACStateChange.parse)
    var setAbove: ACStateChange?

    func validate() throws {
        guard setBelow == nil || below != nil, setAbove == nil || above != nil else {
            throw ValidationError("a change needs its threshold: add --below or --above")
        }
        try require(hasRange || by == nil, "--by needs a threshold: add --below or --above")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.climateReact?.words ?? "no Climate React of its own; set it up with --below and --above"
        }
    }

    private var hasRange: Bool { below != nil || above != nil }

    /// The requested change; nil to show the setting.
    ///
    /// A new range is enabled at once unless `--off` is given.
    var change: SettingChange? {
        guard hasRange else { return power.map { .climateReactEnabled($0 == .on) } }
        let isHumidity = by == .humidity
        let usualLow = ACStateChange(isOn: !isHumidity, mode: isHumidity ? nil : .heat)
        let usualHigh = ACStateChange(isOn: true, mode: isHumidity ? .dry : .cool)
        return .climateReact(
            ClimateReact(
                isEnabled: power != .off, measure: by ?? .temperature,
                low: below.map { .init(tenths: $0.tenths, change: setBelow ?? usualLow) },
                high: above.map { .init(tenths: $0.tenths, change: setAbove ?? usualHigh) }))
    }
}

/// `fleet calibrate`: shows or sets the calibration offsets of devices' sensors.
struct CalibrateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Have a device's pod add something to what its sensors say; or show what.",
        discussion: """
            What it measures from then on is moved by so much, and what goes by it with it: how warm it \
            feels, and Climate React. 0 takes it back.

            EXAMPLES
              fleet calibrate "Bedroom 7" --temperature -0.5
              fleet calibrate "Hall 1" --temperature 0 --humidity 2.5
            """)

    @OptionGroup var target: SettingOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What it adds, in °C: -10 to 10, one decimal at most.", valueName: "degrees"))
    var temperature: Threshold?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What it adds, in percent: -10 to 10, one decimal at most.", valueName: "percent"))
    var humidity: Threshold?

    func validate() throws {
        for added in [temperature, humidity].compactMap({ $0 })
        where !SensorCalibration.tenths.contains(added.tenths) {
            throw ValidationError("\(Double(added.tenths) / 10) is too much: a pod adds -10 to 10")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.calibration?.words ?? "nothing is added; calibrate it with --temperature and --humidity"
        }
    }

    /// The requested change; nil to show the setting.
    var change: SettingChange? {
        guard temperature != nil || humidity != nil else { return nil }
        return .calibration(deciCelsius: temperature?.tenths, humidityPermille: humidity?.tenths)
    }
}

/// `fleet filter`: shows or resets the running time of devices' filters, or sets its threshold.
struct FilterCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "filter", abstract: "Tell how long a device has run since its filters were cleaned.",
        discussion: """
            It is counted by the simulated clock while the air conditioner is on, from \
            when its filters are cleaned for the first time or the threshold is set.

            EXAMPLES
              fleet filter "Bedroom 7"
              fleet filter "Bedroom 7" --clean
              fleet filter "Hall 1" --threshold 200h
            """)

    @OptionGroup var target: SettingOptions

    @Flag(help: "The filters are clean: count from nothing again.") var clean = false

    @Option(
        help: ArgumentHelp(
            "After how much running they should be cleaned: 1h to 10000h.", valueName: "duration"),
        transform: { try .parse($0, upTo: DurationText.limit, "a threshold is") })
    var threshold: Duration?

    func validate() throws {
        try require(!clean || threshold == nil, "one at a time: --clean or --threshold")
        if let threshold, threshold < .seconds(Int64(SettingChange.filterSeconds.lowerBound)) {
            throw ValidationError("a threshold is at least 1h")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, surroundings in
            guard let filter = settings.filter else { return "nobody counts; begin with --clean" }
            return Self.words(filter, at: surroundings.now().wall)
        }
    }

    /// The requested change; nil to show the setting.
    var change: SettingChange? {
        if clean { return .filterCleaned }
        return threshold.map { .filterThreshold(seconds: UInt32(clamping: $0.wholeMilliseconds / 1_000)) }
    }

    private static func words(_ filter: FilterStatus, at now: WallTime) -> String {
        let run = FilterStatus.hours(filter.runningSeconds(at: now))
        let threshold = FilterStatus.hours(Double(filter.thresholdSeconds))
        let cleaned = filter.cleanedAt.map { ", cleaned at \(TimeText.iso8601($0))" } ?? ""
        let advice = filter.shouldClean(at: now) ? "; clean it, and say so with --clean" : ""
        return "filter has run \(run) of \(threshold)\(cleaned)\(advice)"
    }
}

/// `fleet pure-boost`: shows or sets how the fan of a Sensibo Pure follows the air quality.
struct PureBoostCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "pure-boost",
        abstract: "Set how the fan of a Sensibo Pure follows the air quality, or show the setting.",
        discussion: """
            The setting is stored, and every client sees it; the simulated fan does not follow it. \
            `fleet up --scenario mixed` starts a fleet with devices of this model.

            EXAMPLES
              fleet pure-boost Hall --on --sensitive --with geofence --with prime
              fleet pure-boost Hall --off
            """)

    @OptionGroup var target: SettingOptions

    @Flag(exclusivity: .exclusive) var power: SetCommand.Power?

    @Flag(help: "Act on air that is a little bad, too.") var sensitive = false

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp("What else it goes by; may be given several times.", valueName: "what"))
    var integrations: [Integration] = []

    /// A source that Pure Boost uses in addition to the device's own sensor.
    enum Integration: String, CaseIterable, ExpressibleByArgument {
        case measurements, airConditioners, geofence, prime

        fileprivate var value: PureBoost.Integrations {
            switch self {
            case .measurements: .measurements
            case .airConditioners: .airConditioners
            case .geofence: .geofence
            case .prime: .prime
            }
        }
    }

    func validate() throws {
        try require(
            power != nil || !sensitive && integrations.isEmpty, "say whether it acts: add --on or --off")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.pureBoost?.words ?? "no pure boost; set it up with --on"
        }
    }

    /// The requested change; nil to show the setting.
    var change: SettingChange? {
        power.map {
            .pureBoost(
                PureBoost(
                    isEnabled: $0 == .on, sensitivity: sensitive ? .sensitive : .normal,
                    integrations: PureBoost.Integrations(integrations.map(\.value))))
        }
    }
}
