/// What stands behind a device: what it can be set to is up to that.
extension Capabilities {
    /// A common split unit: 16 to 30 °C or 61 to 86 °F where there is a target, none when only the fan runs,
    /// and no quiet fan while drying.
    public static let splitUnit: Capabilities = {
        func mode(_ hasTarget: Bool, _ fanLevels: [FanLevel] = FanLevel.allCases) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: hasTarget ? [.celsius: 16...30, .fahrenheit: 61...86] : [:],
                fanLevels: fanLevels, swings: [.stopped, .fixedTop, .fixedMiddle, .fixedBottom, .rangeFull],
                horizontalSwings: [.stopped, .fixedLeft, .fixedCenter, .fixedRight, .rangeFull],
                lights: Light.allCases)
        }
        return Capabilities(modes: [
            .cool: mode(true), .heat: mode(true), .auto: mode(true), .fan: mode(false),
            .dry: mode(true, [.low, .medium, .high, .auto]),
        ])
    }()

    /// A window unit: 17 to 30 °C or 63 to 86 °F, cools and dries but does not heat, three levels of its fan,
    /// and nothing that moves or shines.
    public static let windowUnit: Capabilities = {
        func mode(_ hasTarget: Bool, _ fanLevels: [FanLevel]) -> ModeCapabilities {
            ModeCapabilities(
                temperatures: hasTarget ? [.celsius: 17...30, .fahrenheit: 63...86] : [:],
                fanLevels: fanLevels)
        }
        return Capabilities(modes: [
            .cool: mode(true, [.low, .medium, .high, .auto]), .fan: mode(false, [.low, .medium, .high]),
            .dry: mode(false, [.low, .medium, .high, .auto]),
        ])
    }()

    /// An air purifier that is no remote but runs itself: two levels of its fan, and a display, as a Sensibo
    /// Pure says of itself (there it can be dimmed, too).
    public static let purifier = Capabilities(modes: [
        .fan: ModeCapabilities(temperatures: [:], fanLevels: [.low, .high], lights: Light.allCases)
    ])

    /// Nothing at all: what only measures cannot even be switched on.
    public static let none = Capabilities(modes: [:])
}
