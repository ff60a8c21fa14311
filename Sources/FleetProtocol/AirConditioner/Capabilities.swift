/// What a device can be set to, mode by mode; where there is no mode, to nothing.
public struct Capabilities: Sendable {
    /// What one mode allows.
    public struct ModeCapabilities: Sendable {
        /// Degrees that may be aimed for, ascending, in each unit that it knows; empty where the mode has no
        /// target.
        public let temperatures: [TemperatureUnit: [Int8]]
        /// How hard it may blow.
        public let fanLevels: [FanLevel]
        /// Where its flaps may be; empty where it has none that move.
        public let swings: [Swing]
        /// Where its vanes may be; empty where it has none that move.
        public let horizontalSwings: [HorizontalSwing]
        /// Whether its display may be lit or not; empty where it has none.
        public let lights: [Light]

        /// The capabilities of a mode.
        public init(
            temperatures: [TemperatureUnit: [Int8]], fanLevels: [FanLevel], swings: [Swing] = [],
            horizontalSwings: [HorizontalSwing] = [], lights: [Light] = []
        ) {
            self.temperatures = temperatures
            self.fanLevels = fanLevels
            self.swings = swings
            self.horizontalSwings = horizontalSwings
            self.lights = lights
        }
    }

    private let modes: [ACMode: ModeCapabilities]
    /// The unit of the temperatures that the remote sends; those in another unit are the nearest to them.
    public let nativeUnit: TemperatureUnit

    /// The capabilities of those modes; a mode that is absent cannot be set.
    public init(modes: [ACMode: ModeCapabilities], nativeUnit: TemperatureUnit = .celsius) {
        self.modes = modes
        self.nativeUnit = nativeUnit
    }

    /// What a mode allows; nil when it cannot be set.
    public subscript(mode: ACMode) -> ModeCapabilities? { modes[mode] }

    /// Why a change cannot be made to a state, in words that name the value and what is allowed; nil
    /// when it can.
    public func objection(to change: ACStateChange, of state: ACState) -> String? {
        guard !modes.isEmpty else { return "\(change.firstWords): it only measures, and allows nothing" }
        // Whatever has a mode can be switched on and off.
        guard !change.isOfPowerAlone else { return nil }
        let wanted = state.applying(change)
        guard let allowed = modes[wanted.mode] else {
            return objection("mode", wanted.mode, allowed: ACMode.allCases.filter { modes[$0] != nil })
        }
        let mode = wanted.mode
        if change.targetTemperature != nil || change.temperatureUnit != nil {
            if let objection = objection(to: wanted, allowed.temperatures, in: mode) { return objection }
        }
        return objection("fan level", wanted.fanLevel, isNamed: true, allowed.fanLevels, in: mode)
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
        return "\(what) allows \(words(for: degrees)) \(unit.symbol)"
    }

    /// Degrees as a range where none within it is missing, and one by one otherwise.
    private func words(for degrees: [Int8]) -> String {
        guard let first = degrees.first, let last = degrees.last, Int(last) - Int(first) == degrees.count - 1
        else { return list(degrees.map(String.init)) }
        return "\(first) to \(last)"
    }

    /// What speaks against a setting: what is not there at all matters only to who names it.
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
        "\(what) \(wanted.name): allowed are \(list(allowed.map(\.name)))"
    }

    private func list(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }
}

/// What stands behind a device: what it can be set to is up to that.
extension Capabilities {
    /// A common split unit: 16 to 30 °C where there is a target, none when only the fan runs, and no quiet
    /// fan while drying.
    public static let splitUnit: Capabilities = {
        func mode(_ hasTarget: Bool, _ fanLevels: [FanLevel] = FanLevel.allCases) -> ModeCapabilities {
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

    /// A split unit without the modes auto and dry: 18 to 30 °C, four levels of its fan, and flaps.
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
    /// In degrees Celsius it is what is nearest to each of them, each once: 16 to 30 °C.
    public static let fahrenheitUnit: Capabilities = {
        let degrees: ClosedRange<Int8> = 61...86
        let nearest = degrees.map { TemperatureUnit.celsius.degrees(from: $0, in: .fahrenheit) }
        let temperatures: [TemperatureUnit: [Int8]] = [
            .fahrenheit: Array(degrees), .celsius: Set(nearest).sorted(),
        ]
        func mode(_ temperatures: [TemperatureUnit: [Int8]]) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: temperatures, fanLevels: FanLevel.allCases, swings: [.stopped, .rangeFull],
                lights: [.on, .off])
        }
        let aimed: [ACMode] = [.cool, .heat, .auto, .dry]
        return Capabilities(
            modes: Dictionary(
                uniqueKeysWithValues: aimed.map { ($0, mode(temperatures)) } + [(.fan, mode([:]))]),
            nativeUnit: .fahrenheit)
    }()

    /// A window unit: 17 to 30 °C, cools and dries but does not heat, three levels of its fan, and nothing
    /// that moves or shines.
    public static let windowUnit: Capabilities = {
        func mode(_ hasTarget: Bool, _ fanLevels: [FanLevel]) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: hasTarget ? native(celsius: 17...30) : [:], fanLevels: fanLevels)
        }
        return Capabilities(modes: [
            .cool: mode(true, [.low, .medium, .high, .auto]), .fan: mode(false, [.low, .medium, .high]),
            .dry: mode(false, [.low, .medium, .high, .auto]),
        ])
    }()

    /// An air purifier, which needs no remote: two levels of its fan, and a display that can be dimmed, as
    /// recorded of a Sensibo Pure.
    public static let purifier = Capabilities(modes: [
        .fan: ModeCapabilities(temperatures: [:], fanLevels: [.low, .high], lights: Light.allCases)
    ])

    /// What can be aimed for with a remote that sends whole degrees Celsius.
    ///
    /// In degrees Fahrenheit it is what is nearest to each of them, 61, 63, 64, 66: what lies between could
    /// not be sent, and Sensibo lists the degrees of such pods so.
    private static func native(celsius: ClosedRange<Int8>) -> [TemperatureUnit: [Int8]] {
        [
            .celsius: Array(celsius),
            .fahrenheit: celsius.map { TemperatureUnit.fahrenheit.degrees(from: $0, in: .celsius) },
        ]
    }

    /// Nothing at all: what only measures cannot even be switched on.
    public static let none = Capabilities(modes: [:])
}
