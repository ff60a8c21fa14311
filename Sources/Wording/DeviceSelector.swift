public import FleetProtocol

/// The properties of a device by which it can be selected.
public protocol SelectableDevice {
    /// Its ID.
    var id: DeviceID { get }
    /// Its name for people.
    var name: String { get }
    /// The name of its site; nil if unknown.
    var siteName: String? { get }
}

/// A text that selects devices, in every command and in the observer's filters.
///
/// The forms of a text, in order; the first one that fits a device applies:
/// 1. `all`: every device, and never a part of a name;
/// 2. the ID of a device;
/// 3. the name of a device, in the same case, else in any case;
/// 4. `site:NAME`: the devices at a site, whose name may be a pattern;
/// 5. a pattern with `*` or `?` for names and IDs, as in ``GlobPattern``;
/// 6. a part of a name in any case.
public struct DeviceSelector: Sendable, Equatable {
    private enum Form: Sendable, Equatable {
        case all
        case site(GlobPattern)
        case pattern(GlobPattern)
        case text
    }

    /// The meaning of a text that is a part of several devices' names.
    public enum PartOfSeveral: Sendable {
        /// An error; for commands that change devices.
        case isAmbiguous
        /// All these devices, and those whose ID has the text; for commands that only list or measure.
        case selectsAll
    }

    /// The devices that a text selects.
    public enum Selection<Device> {
        /// The devices; empty if none fits.
        case devices([Device])
        /// Several devices for a text that must select one.
        case ambiguous([Device])
    }

    /// The word that selects every device.
    private static let allWord = "all"
    private static let siteMark = "site:"

    /// The text.
    public let text: String
    private let lowered: String
    private let form: Form

    /// The selector of a text.
    public init(_ text: String) {
        self.text = text
        lowered = text.lowercased()
        if lowered == Self.allWord {
            form = .all
        } else if let site = Self.site(of: text) {
            form = .site(GlobPattern(site))
        } else {
            form = GlobPattern.hasWildcard(text) ? .pattern(GlobPattern(text)) : .text
        }
    }

    /// Whether it is `all`.
    public var selectsAll: Bool { form == .all }

    /// Whether it is neither `all` nor a site nor a pattern, but a name, an ID, or a part of them.
    public var isText: Bool { form == .text }

    /// Whether it is `site:NAME`.
    public var selectsSite: Bool {
        if case .site = form { true } else { false }
    }

    /// The site that a text of the form `site:NAME` names; nil for any other text.
    public static func site(of text: String) -> String? {
        guard text.lowercased().hasPrefix(siteMark) else { return nil }
        let name = text.dropFirst(siteMark.count)
        return name.isEmpty ? nil : String(name)
    }

    /// Selects from all devices there are.
    ///
    /// - Returns: The devices in the order given.
    public func select<Device: SelectableDevice>(
        from devices: [Device], partOfSeveral: PartOfSeveral
    ) -> Selection<Device> {
        if form == .all { return .devices(devices) }
        if let id = DeviceID(text), let device = devices.first(where: { $0.id == id }) {
            return .devices([device])
        }
        let spellings: [(Device) -> Bool] = [
            { $0.name == text }, { $0.name.lowercased() == lowered },
        ]
        for isNamed in spellings {
            let named = devices.filter(isNamed)
            if !named.isEmpty { return selection(named, partOfSeveral) }
        }
        guard form == .text, partOfSeveral == .isAmbiguous else {
            return .devices(devices.filter { matches(name: $0.name, id: $0.id, site: $0.siteName) })
        }
        guard !lowered.isEmpty else { return .devices([]) }
        return selection(devices.filter { $0.name.lowercased().contains(lowered) }, partOfSeveral)
    }

    private func selection<Device>(_ devices: [Device], _ partOfSeveral: PartOfSeveral) -> Selection<Device> {
        devices.count > 1 && partOfSeveral == .isAmbiguous ? .ambiguous(devices) : .devices(devices)
    }

    /// Whether a device fits, without regard to others: a text may be any part of its name or ID, and an
    /// empty text fits every device.
    public func matches(name: String?, id: DeviceID, site: String?) -> Bool {
        switch form {
        case .all: true
        case .site(let pattern): site.map(pattern.matches) ?? false
        case .pattern(let pattern): name.map(pattern.matches) ?? false || pattern.matches(id.description)
        case .text:
            lowered.isEmpty || name?.lowercased().contains(lowered) ?? false
                || id.description.lowercased().contains(lowered)
        }
    }
}
