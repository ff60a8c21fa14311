/// What a scenario has the cloud go through, each of its days.
public struct CloudDay: Hashable, Sendable {
    /// A fault, and when in the day it is in force.
    public struct Part: Hashable, Sendable {
        /// The fault.
        public var fault: CloudFault
        /// The second of the day at which it begins, 0 to 86,399.
        public var from: UInt32
        /// The second of the day at which it ends, likewise; as ``from`` where it is in force all day.
        public var to: UInt32

        /// A fault in that part of the day; all day where nothing else is said.
        public init(_ fault: CloudFault, from: UInt32 = 0, to: UInt32 = 0) {
            self.fault = fault
            self.from = from
            self.to = to
        }

        /// Whether it is in force all day.
        public var isAllDay: Bool { from == to }
    }

    /// Seconds in a day.
    public static let seconds: UInt32 = 86_400
    /// How fast the simulated clock may run.
    public static let speeds = 0.1...10_000.0

    /// Simulated seconds in a real one.
    public var speed: Double
    /// The second of the day at which it begins.
    public var start: UInt32
    /// What goes wrong.
    public var parts: [Part]

    /// A day of those values: of itself nothing goes wrong.
    public init(speed: Double = 1, start: UInt32 = 43_200, parts: [Part] = []) {
        self.speed = speed
        self.start = start
        self.parts = parts
    }
}
