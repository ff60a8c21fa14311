public import ArgumentParser
public import FleetProtocol

extension ACMode: ExpressibleByArgument {
    /// The mode of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The name, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension FanLevel: ExpressibleByArgument {
    /// The level of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The name, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension Fault: ExpressibleByArgument {
    /// The fault of that name.
    public init?(argument: String) {
        self.init(name: argument)
    }

    /// The name, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}
