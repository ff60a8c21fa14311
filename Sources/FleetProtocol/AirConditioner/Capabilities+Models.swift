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
