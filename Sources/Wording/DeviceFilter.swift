public import FleetProtocol

/// The devices that a view shows: those that a ``DeviceSelector`` fits, each decided without the others.
public struct DeviceFilter: Sendable, Equatable {
    private let selector: DeviceSelector

    /// All devices.
    public static let all = DeviceFilter("")

    /// The devices that a text selects; an empty one selects all.
    public init(_ text: String) {
        selector = DeviceSelector(text)
    }

    /// The text.
    public var text: String { selector.text }

    /// Whether the text is empty.
    public var isEmpty: Bool { selector.text.isEmpty }

    /// Whether it selects by the site of a device.
    public var selectsSite: Bool { selector.selectsSite }

    /// Whether the other filter certainly shows every device that this filter shows.
    public func isNarrower(than other: DeviceFilter) -> Bool {
        if other.selector.selectsAll { return true }
        return selector.isText && other.selector.isText
            && text.lowercased().contains(other.text.lowercased())
    }

    /// Whether it shows a device.
    ///
    /// - Parameter site: The name of its site; nil if unknown, and then no `site:NAME` fits.
    public func matches(name: String?, id: DeviceID, site: String? = nil) -> Bool {
        selector.matches(name: name, id: id, site: site)
    }
}
