import ArgumentParser
import FleetProtocol
import UserText

struct ClimateReactCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "climate-react",
        abstract: "Configure or show Climate React.",
        discussion: """
            Climate React keeps a room in a range: the first measurement beyond a threshold \
            changes the device, and the next change follows only after the room has been back in \
            the range. By default it heats below and cools above (with --by humidity: off, and \
            dry). Write another change as comma-separated words: on, off, a mode, whole degrees, \
            fan:LEVEL.

            EXAMPLES
              fleet climate-react "Bedroom 7" --below 19 --above 26
              fleet climate-react "Hall 1" --above 65 --by humidity
              fleet climate-react "Hall 1" --below 18.5 --set-below on,heat,21 --by feelsLike
              fleet climate-react "Hall 1" --off
            """)

    @OptionGroup var target: SettingOptions
    @OptionGroup var onOff: PowerOptions

    @Option(
        parsing: .unconditional,
        help: .value("threshold", "Lower threshold, in °C or percent, one decimal at most."))
    var below: Threshold?

    @Option(
        parsing: .unconditional,
        help: .value("threshold", "Upper threshold, in °C or percent, one decimal at most."))
    var above: Threshold?

    @Option(help: .value("measure", "The measurement to use (default: temperature)."))
    var by: ClimateReact.Measure?

    @Option(
        help: .value("change", "The change below the range (default: on,heat)."),
        transform: ACStateChange.parse)
    var setBelow: ACStateChange?

    @Option(
        help: .value("change", "The change above the range (default: on,cool)."),
        transform: ACStateChange.parse)
    var setAbove: ACStateChange?

    func validate() throws {
        try require(
            (setBelow == nil || below != nil) && (setAbove == nil || above != nil),
            "a change needs its threshold: add --below or --above")
        try require(hasRange || by == nil, "--by needs a threshold: add --below or --above")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.climateReact?.text ?? "Climate React is not set up; use --below and --above"
        }
    }

    private var hasRange: Bool { below != nil || above != nil }

    /// The requested change, which enables a new range unless `--off` is given; nil to show the setting.
    var change: SettingChange? {
        guard hasRange else { return onOff.isOn.map { .climateReactEnabled($0) } }
        let isHumidity = by == .humidity
        let usualLow = ACStateChange(isOn: !isHumidity, mode: isHumidity ? nil : .heat)
        let usualHigh = ACStateChange(isOn: true, mode: isHumidity ? .dry : .cool)
        return .climateReact(
            ClimateReact(
                isEnabled: onOff.isOn ?? true, measure: by ?? .temperature,
                low: below.map { .init(tenths: $0.tenths, change: setBelow ?? usualLow) },
                high: above.map { .init(tenths: $0.tenths, change: setAbove ?? usualHigh) }))
    }
}

struct CalibrateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Set or show sensor offsets.",
        discussion: """
            The pod adds the offset to each later measurement, and so to everything derived from it: the \
            feels-like temperature, and Climate React. An offset of 0 removes it.

            EXAMPLES
              fleet calibrate "Bedroom 7" --temperature -0.5
              fleet calibrate "Hall 1" --temperature 0 --humidity 2.5
            """)

    @OptionGroup var target: SettingOptions

    @Option(
        parsing: .unconditional, help: .value("degrees", "The offset in °C: -10 to 10, one decimal at most."))
    var temperature: Threshold?

    @Option(
        parsing: .unconditional,
        help: .value("percent", "The offset in percent: -10 to 10, one decimal at most."))
    var humidity: Threshold?

    func validate() throws {
        for added in [temperature, humidity].compactMap({ $0 })
        where !SensorCalibration.tenths.contains(added.tenths) {
            throw ValidationError("offset \(Double(added.tenths) / 10) is out of range: -10 to 10")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.calibration?.text ?? "no offsets; set them with --temperature and --humidity"
        }
    }

    var change: SettingChange? {
        guard temperature != nil || humidity != nil else { return nil }
        return .calibration(deciCelsius: temperature?.tenths, humidityPermille: humidity?.tenths)
    }
}

struct FilterCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "air-filter", abstract: "Show or reset air-filter hours.",
        discussion: """
            The device counts the hours by the simulated clock while the air conditioner is on, from \
            the first --clean or --threshold.

            EXAMPLES
              fleet air-filter "Bedroom 7"
              fleet air-filter "Bedroom 7" --clean
              fleet air-filter "Hall 1" --threshold 200h
            """, aliases: ["filter"])

    @OptionGroup var target: SettingOptions
    @Flag(help: "Record that the filters are clean: start again from 0 hours.") var clean = false

    @Option(
        help: .value("duration", "The hours after which the filters need cleaning: 1h to 10000h."),
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
            guard let filter = settings.filter else {
                return "air-filter hours are not tracked yet; start with --clean"
            }
            return Self.text(filter, at: surroundings.now().wall)
        }
    }

    var change: SettingChange? {
        if clean { return .filterCleaned }
        return threshold.map { .filterThreshold(seconds: UInt32(clamping: $0.wholeMilliseconds / 1_000)) }
    }

    private static func text(_ filter: FilterStatus, at now: WallTime) -> String {
        let run = FilterStatus.hours(filter.runningSeconds(at: now))
        let threshold = FilterStatus.hours(Double(filter.thresholdSeconds))
        let cleaned = filter.cleanedAt.map { ", cleaned at \(TimeText.iso8601($0))" } ?? ""
        let advice = filter.shouldClean(at: now) ? "; clean it, then run --clean" : ""
        return "filter has run \(run) of \(threshold)\(cleaned)\(advice)"
    }
}

struct PureBoostCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "pure-boost",
        abstract: "Configure or show Pure Boost.",
        discussion: """
            Pure Boost lets the fan of a Sensibo Pure follow the air quality. The setting is stored, and \
            every client sees it; the simulated fan does not follow it. `fleet up --scenario mixed` starts \
            a fleet with devices of this model.

            EXAMPLES
              fleet pure-boost Hall --on --sensitive --with geofence --with prime
              fleet pure-boost Hall --off
            """)

    @OptionGroup var target: SettingOptions
    @OptionGroup var onOff: PowerOptions
    @Flag(help: "Also react to slightly bad air.") var sensitive = false

    @Option(name: .customLong("with"), help: .value("what", "Additional inputs; may be repeated."))
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
            onOff.isOn != nil || !sensitive && integrations.isEmpty, "on or off is missing: add --on or --off"
        )
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.pureBoost?.text ?? "Pure Boost is not set up; use --on"
        }
    }

    var change: SettingChange? {
        onOff.isOn.map {
            .pureBoost(
                PureBoost(
                    isEnabled: $0, sensitivity: sensitive ? .sensitive : .normal,
                    integrations: PureBoost.Integrations(integrations.map(\.value))))
        }
    }
}
