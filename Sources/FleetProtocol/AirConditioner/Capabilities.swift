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
