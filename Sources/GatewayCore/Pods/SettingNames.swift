import FleetProtocol

/// The words of settings, spelt once: asking an enumeration for its case's name is slow.
enum SettingNames {
    private static let modes = ACMode.allCases.map(\.name)
    private static let fanLevels = FanLevel.allCases.map(\.name)
    private static let swings = Swing.allCases.map(\.name)
    private static let horizontalSwings = HorizontalSwing.allCases.map(\.name)
    private static let lights = Light.allCases.map(\.name)

    static func of(_ mode: ACMode) -> String { modes[Int(mode.rawValue)] }
    static func of(_ level: FanLevel) -> String { fanLevels[Int(level.rawValue)] }
    static func of(_ swing: Swing) -> String { swings[Int(swing.rawValue)] }
    static func of(_ swing: HorizontalSwing) -> String { horizontalSwings[Int(swing.rawValue)] }
    static func of(_ light: Light) -> String { lights[Int(light.rawValue)] }
}
