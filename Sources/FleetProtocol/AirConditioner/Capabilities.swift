/// What a model of air conditioner can be set to, mode by mode.
public struct Capabilities: Sendable {
    /// What one mode allows.
    public struct ModeCapabilities: Sendable {
        /// Degrees Celsius that may be aimed for; nil where the mode has no target.
        public let targetCelsius: ClosedRange<Int8>?
        /// How hard it may blow.
        public let fanLevels: [FanLevel]

        /// The capabilities of a mode.
        public init(targetCelsius: ClosedRange<Int8>?, fanLevels: [FanLevel]) {
            self.targetCelsius = targetCelsius
            self.fanLevels = fanLevels
        }
    }

    private let modes: [ACMode: ModeCapabilities]

    /// The capabilities of those modes; a mode that is absent cannot be set.
    public init(modes: [ACMode: ModeCapabilities]) {
        self.modes = modes
    }

    /// A common split unit: 16 to 30 °C where there is a target, none when only the fan runs, and no
    /// quiet fan while drying.
    public static let splitUnit = Capabilities(modes: [
        .cool: ModeCapabilities(targetCelsius: 16...30, fanLevels: FanLevel.allCases),
        .heat: ModeCapabilities(targetCelsius: 16...30, fanLevels: FanLevel.allCases),
        .auto: ModeCapabilities(targetCelsius: 16...30, fanLevels: FanLevel.allCases),
        .fan: ModeCapabilities(targetCelsius: nil, fanLevels: FanLevel.allCases),
        .dry: ModeCapabilities(targetCelsius: 16...30, fanLevels: [.low, .medium, .high, .auto]),
    ])

    /// Why a change cannot be made to a state, in words that name the value and what is allowed; nil
    /// when it can.
    public func objection(to change: ACStateChange, of state: ACState) -> String? {
        let mode = change.mode ?? state.mode
        guard let allowed = modes[mode] else {
            return
                "mode \(mode.name): allowed are \(list(ACMode.allCases.filter { modes[$0] != nil }.map(\.name)))"
        }
        if let target = change.targetCelsius {
            guard let range = allowed.targetCelsius else {
                return "target temperature \(target) °C: mode \(mode.name) has none"
            }
            guard range.contains(target) else {
                return "target temperature \(target) °C: mode \(mode.name) allows "
                    + "\(range.lowerBound) to \(range.upperBound) °C"
            }
        }
        let fanLevel = change.fanLevel ?? state.fanLevel
        guard allowed.fanLevels.contains(fanLevel) else {
            return
                "fan level \(fanLevel.name): mode \(mode.name) allows \(list(allowed.fanLevels.map(\.name)))"
        }
        return nil
    }

    private func list(_ names: [String]) -> String {
        names.joined(separator: ", ")
    }
}
