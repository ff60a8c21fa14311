public import ArgumentParser
public import FleetProtocol

extension ExpressibleByArgument where Self: ACSetting & RawRepresentable, RawValue: ExpressibleByArgument {
    /// The setting of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The names, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }

    /// Its name, for help.
    public var defaultValueDescription: String { name }
}

extension ACMode: ExpressibleByArgument {}
extension FanLevel: ExpressibleByArgument {}
extension Swing: ExpressibleByArgument {}
extension HorizontalSwing: ExpressibleByArgument {}
extension Light: ExpressibleByArgument {}
extension TemperatureUnit: ExpressibleByArgument {}
extension ClimateReact.Measure: ExpressibleByArgument {}

extension Fault: ExpressibleByArgument {
    /// The fault of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The name, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}
