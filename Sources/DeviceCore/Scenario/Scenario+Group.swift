public import FleetProtocol

extension Scenario {
    /// Devices that are alike.
    public struct Group: Hashable, Sendable {
        /// How many devices a group has.
        public enum Size: Hashable, Sendable {
            /// Always as many, as long as there are enough.
            case count(Int)
            /// A part of those that no count has taken, in proportion to the shares of all groups.
            case share(Int)
        }

        /// Between which temperatures Climate React keeps a room.
        public struct ClimateReact: Hashable, Sendable {
            /// It heats below this, °C.
            public let lowCelsius: Double
            /// It cools above this, °C.
            public let highCelsius: Double

            /// The range of those temperatures.
            ///
            /// - Precondition: The low one is below the high one.
            public init(lowCelsius: Double, highCelsius: Double) {
                precondition(
                    lowCelsius < highCelsius, "nothing is between \(lowCelsius) and \(highCelsius) °C")
                self.lowCelsius = lowCelsius
                self.highCelsius = highCelsius
            }
        }

        /// How many there are.
        public var size: Size
        /// What they are sold as.
        public var model: ProductModel
        /// The building they are in.
        public var site: String
        /// The rooms they are in, as evenly as can be; none where rooms are called after the devices.
        public var rooms: [String]
        /// What their air conditioners' remotes send.
        public var remote: RemoteKind
        /// The kind of their air conditioners.
        public var airConditioner: AirConditionerKind
        /// Between which temperatures their rooms are kept; nil where nothing does that.
        public var climateReact: ClimateReact?
        /// Their firmware; nil for the usual one of the model.
        public var firmware: String?

        /// The group of those values.
        public init(
            size: Size = .share(1), model: ProductModel = .sky, site: String = Group.usualSite,
            rooms: [String] = [], remote: RemoteKind = .discrete, airConditioner: AirConditionerKind = .split,
            climateReact: ClimateReact? = nil, firmware: String? = nil
        ) {
            self.size = size
            self.model = model
            self.site = site
            self.rooms = rooms
            self.remote = remote
            self.airConditioner = airConditioner
            self.climateReact = climateReact
            self.firmware = firmware
        }

        /// What they can be set to.
        public var capabilities: Capabilities { model.capabilities(of: airConditioner) }

        /// The building of devices of which nobody said where they are.
        public static let usualSite = "Home"
    }
}
