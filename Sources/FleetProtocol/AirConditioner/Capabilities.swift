/// The settings that a device supports, by mode.
///
/// ```swift
/// let state = ACState(isOn: true, mode: .cool, targetTemperature: 24, fanLevel: .auto)
/// let objection = Capabilities.splitUnit.objection(to: ACStateChange(targetTemperature: 99), of: state)
/// ```
public struct Capabilities: Hashable, Sendable {
    /// The settings that one mode supports.
    public struct ModeCapabilities: Hashable, Sendable {
        /// The allowed target temperatures by unit, ascending; empty if the mode has no target.
        public let temperatures: [TemperatureUnit: [Int8]]
        /// The allowed fan levels; empty if the speed cannot be set.
        public let fanLevels: [FanLevel]
        /// The allowed vertical flap positions; empty if the flaps cannot move.
        public let swings: [Swing]
        /// The allowed horizontal vane positions; empty if the vanes cannot move.
        public let horizontalSwings: [HorizontalSwing]
        /// The allowed display lights; empty if the unit has no display.
        public let lights: [Light]

        /// The capabilities of a mode.
        public init(
            temperatures: [TemperatureUnit: [Int8]], fanLevels: [FanLevel], swings: [Swing] = [],
            horizontalSwings: [HorizontalSwing] = [], lights: [Light] = []
        ) {
            (self.temperatures, self.fanLevels, self.swings) = (temperatures, fanLevels, swings)
            (self.horizontalSwings, self.lights) = (horizontalSwings, lights)
        }
    }

    private let modes: [ACMode: ModeCapabilities]
    /// The unit of the temperatures that the remote sends; temperatures in the other unit are converted.
    public let nativeUnit: TemperatureUnit

    /// The capabilities of those modes; a mode that is absent cannot be set.
    public init(modes: [ACMode: ModeCapabilities], nativeUnit: TemperatureUnit = .celsius) {
        (self.modes, self.nativeUnit) = (modes, nativeUnit)
    }

    /// The settings that a mode supports; nil if the mode is not supported.
    public subscript(mode: ACMode) -> ModeCapabilities? { modes[mode] }

    /// Returns why a change cannot be applied to a state, with the value and the allowed values; nil if it
    /// can.
    public func objection(to change: ACStateChange, of state: ACState) -> String? {
        // Every device can be switched on and off.
        guard !change.isOfPowerAlone else { return nil }
        let wanted = state.applying(change)
        guard let allowed = modes[wanted.mode] else {
            return objection("mode", wanted.mode, allowed: ACMode.allCases.filter { modes[$0] != nil })
        }
        let mode = wanted.mode
        if change.targetTemperature != nil || change.temperatureUnit != nil {
            if let objection = objection(to: wanted, allowed.temperatures, in: mode) { return objection }
        }
        return objection(
            "fan level", wanted.fanLevel, isNamed: change.fanLevel != nil, allowed.fanLevels, in: mode)
            ?? objection("swing", wanted.swing, isNamed: change.swing != nil, allowed.swings, in: mode)
            ?? objection(
                "horizontal swing", wanted.horizontalSwing, isNamed: change.horizontalSwing != nil,
                allowed.horizontalSwings, in: mode)
            ?? objection("light", wanted.light, isNamed: change.light != nil, allowed.lights, in: mode)
    }

    private func objection(
        to wanted: ACState, _ temperatures: [TemperatureUnit: [Int8]], in mode: ACMode
    ) -> String? {
        let (target, unit) = (wanted.targetTemperature, wanted.temperatureUnit)
        if temperatures[unit]?.contains(target) ?? false { return nil }
        let what = "target temperature \(target) \(unit.symbol): mode \(mode.name)"
        guard !temperatures.isEmpty else { return "\(what) has none" }
        guard let degrees = temperatures[unit] else {
            let units = TemperatureUnit.allCases.filter { temperatures[$0] != nil }.map(\.symbol)
            return "\(what) allows \(list(units)) only"
        }
        return "\(what) allows \(text(for: degrees)) \(unit.symbol)"
    }

    /// Formats degrees as a range if they are consecutive, and as a list otherwise.
    private func text(for degrees: [Int8]) -> String {
        guard let first = degrees.first, let last = degrees.last, Int(last) - Int(first) == degrees.count - 1
        else { return list(degrees.map(String.init)) }
        return "\(first) to \(last)"
    }

    /// Returns why a setting is not allowed; a missing feature is an error only if the change names the
    /// setting.
    private func objection<Setting: ACSetting>(
        _ what: String, _ wanted: Setting, isNamed: Bool, _ allowed: [Setting], in mode: ACMode
    ) -> String? {
        guard !allowed.contains(wanted), isNamed || !allowed.isEmpty else { return nil }
        let names = allowed.map(\.name)
        return "\(what) \(wanted.name): mode \(mode.name) "
            + (names.isEmpty ? "has none" : "allows \(list(names))")
    }

    private func objection<Setting: ACSetting>(
        _ what: String, _ wanted: Setting, allowed: [Setting]
    ) -> String {
        "\(what) \(wanted.name): "
            + (allowed.isEmpty ? "the remote has no code" : "allowed are \(list(allowed.map(\.name)))")
    }

    private func list(_ names: [String]) -> String { names.joined(separator: ", ") }
}

extension Capabilities {
    /// A common split unit: 16 to 30 °C where there is a target, none when only the fan runs, few fan levels
    /// while drying, and otherwise those of a recorded Sky.
    public static let splitUnit: Capabilities = {
        func mode(
            _ hasTarget: Bool,
            _ fanLevels: [FanLevel] = [.quiet, .low, .medium, .mediumHigh, .high, .auto, .strong]
        ) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: hasTarget ? native(celsius: 16...30) : [:],
                fanLevels: fanLevels, swings: [.stopped, .fixedTop, .fixedMiddle, .fixedBottom, .rangeFull],
                horizontalSwings: [.stopped, .fixedLeft, .fixedCenter, .fixedRight, .rangeFull],
                lights: [.on, .off])
        }
        return Capabilities(modes: [
            .cool: mode(true), .heat: mode(true), .auto: mode(true), .fan: mode(false),
            .dry: mode(true, [.low, .medium, .high, .auto]),
        ])
    }()

    /// A split unit without the modes auto and dry: 18 to 30 °C, four fan levels, and flaps.
    public static let basicSplitUnit: Capabilities = {
        func mode(_ temperatures: [TemperatureUnit: [Int8]]) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: temperatures, fanLevels: [.low, .medium, .high, .auto],
                swings: [.stopped, .rangeFull])
        }
        let temperatures = native(celsius: 18...30)
        return Capabilities(modes: [.cool: mode(temperatures), .heat: mode(temperatures), .fan: mode([:])])
    }()

    /// A split unit with a remote that sends degrees Fahrenheit: 61 to 86 °F where there is a target.
    ///
    /// The targets in degrees Celsius are those degrees, rounded and without duplicates: 16 to 30 °C. It has
    /// every fan level, in the order of recorded pods.
    public static let fahrenheitUnit: Capabilities = {
        let degrees: ClosedRange<Int8> = 61...86
        let nearest = degrees.map { TemperatureUnit.celsius.degrees(from: $0, in: .fahrenheit) }
        let temperatures: [TemperatureUnit: [Int8]] = [
            .fahrenheit: Array(degrees), .celsius: Set(nearest).sorted(),
        ]
        func mode(_ temperatures: [TemperatureUnit: [Int8]]) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: temperatures,
                fanLevels: [.quiet, .low, .mediumLow, .medium, .mediumHigh, .high, .auto, .strong],
                swings: [.stopped, .rangeFull], lights: [.on, .off])
        }
        let aimed: [ACMode] = [.cool, .heat, .auto, .dry]
        return Capabilities(
            modes: Dictionary(
                uniqueKeysWithValues: aimed.map { ($0, mode(temperatures)) } + [(.fan, mode([:]))]),
            nativeUnit: .fahrenheit)
    }()

    /// A window unit: 17 to 30 °C, cools and dries but does not heat, three fan levels, without moving flaps
    /// and display.
    public static let windowUnit: Capabilities = {
        func mode(_ hasTarget: Bool, _ fanLevels: [FanLevel]) -> ModeCapabilities {
            ModeCapabilities(temperatures: hasTarget ? native(celsius: 17...30) : [:], fanLevels: fanLevels)
        }
        return Capabilities(modes: [
            .cool: mode(true, [.low, .medium, .high, .auto]), .fan: mode(false, [.low, .medium, .high]),
            .dry: mode(false, [.low, .medium, .high, .auto]),
        ])
    }()

    /// A device that needs no remote: two fan levels, and a display that can be dimmed, as recorded from a
    /// Sensibo Pure and from a Sensibo Elements.
    public static let withoutRemote = Capabilities(modes: [
        .fan: ModeCapabilities(temperatures: [:], fanLevels: [.low, .high], lights: [.on, .dim, .off])
    ])

    /// Returns the target temperatures of a remote that sends whole degrees Celsius. The Fahrenheit targets
    /// are those degrees, rounded: 61, 63, 64, 66 and so on. The remote has no codes for the values between.
    /// Sensibo lists the same values for such pods.
    private static func native(celsius: ClosedRange<Int8>) -> [TemperatureUnit: [Int8]] {
        [
            .celsius: Array(celsius),
            .fahrenheit: celsius.map { TemperatureUnit.fahrenheit.degrees(from: $0, in: .celsius) },
        ]
    }
}
