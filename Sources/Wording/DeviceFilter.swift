public import FleetProtocol

/// Which devices are shown: those with a text in their name or id, whatever its case.
public struct DeviceFilter: Sendable, Equatable {
    /// The text; empty lets all through.
    public let text: String
    private let lowered: String

    /// All devices.
    public static let all = DeviceFilter("")

    /// The devices with that text in their name or id.
    public init(_ text: String) {
        self.text = text
        lowered = text.lowercased()
    }

    /// Whether it lets all through.
    public var isEmpty: Bool { lowered.isEmpty }

    /// Whether it lets nothing through that the other does not.
    public func isNarrower(than other: DeviceFilter) -> Bool { lowered.contains(other.lowered) }

    /// Whether it lets a device through.
    public func matches(name: String?, id: DeviceID) -> Bool {
        if isEmpty { return true }
        if let name, name.lowercased().contains(lowered) { return true }
        return id.description.lowercased().contains(lowered)
    }
}
