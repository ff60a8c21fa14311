public import FleetProtocol

public protocol SelectableDevice {
    var id: DeviceID { get }
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

    public enum Selection<Device> {
        case devices([Device])
        case ambiguous([Device])
    }

    private static let allWord = "all"
    private static let siteMark = "site:"

    public let text: String
    private let folded: String
    private let form: Form

    public init(_ text: String) {
        self.text = text
        folded = SafeText.folded(text)
        if folded == Self.allWord {
            form = .all
        } else if let site = Self.site(of: text) {
            form = .site(GlobPattern(site))
        } else {
            form = GlobPattern.hasWildcard(text) ? .pattern(GlobPattern(text)) : .text
        }
    }

    public var selectsAll: Bool { form == .all }

    /// Whether it is neither `all` nor a site nor a pattern, but a name, an ID, or a part of them.
    var isText: Bool { form == .text }

    public var selectsSite: Bool {
        if case .site = form { true } else { false }
    }

    /// The site that a text of the form `site:NAME` names; nil for any other text.
    public static func site(of text: String) -> String? {
        guard text.lowercased().hasPrefix(siteMark) else { return nil }
        let name = text.dropFirst(siteMark.count)
        return name.isEmpty ? nil : String(name)
    }

    /// Whether the text is the ID or, in any case, the whole name of one of the devices.
    public func names(oneOf devices: some Sequence<some SelectableDevice>) -> Bool {
        let id = DeviceID(text)
        return devices.contains { $0.id == id || SafeText.folded($0.name) == folded }
    }

    /// Selects from all devices there are, in the order given.
    public func select<Device: SelectableDevice>(
        from devices: [Device], partOfSeveral: PartOfSeveral
    ) -> Selection<Device> {
        if form == .all { return .devices(devices) }
        if let id = DeviceID(text), let device = devices.first(where: { $0.id == id }) {
            return .devices([device])
        }
        let spellings: [(Device) -> Bool] = [{ $0.name == text }, { SafeText.folded($0.name) == folded }]
        for isNamed in spellings {
            let named = devices.filter(isNamed)
            if !named.isEmpty { return selection(named, partOfSeveral) }
        }
        guard form == .text, partOfSeveral == .isAmbiguous else {
            return .devices(devices.filter { matches(name: $0.name, id: $0.id, site: $0.siteName) })
        }
        guard !folded.isEmpty else { return .devices([]) }
        return selection(devices.filter { SafeText.folded($0.name).contains(folded) }, partOfSeveral)
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
            folded.isEmpty || name.map { SafeText.folded($0).contains(folded) } ?? false
                || id.description.lowercased().contains(folded)
        }
    }
}

/// The devices that a view shows: those that a ``DeviceSelector`` fits, each decided without the others.
public struct DeviceFilter: Sendable, Equatable {
    private let selector: DeviceSelector

    public static let all = DeviceFilter("")

    public init(_ text: String) { selector = DeviceSelector(text) }

    public var text: String { selector.text }

    public var isEmpty: Bool { selector.text.isEmpty }
    public var selectsSite: Bool { selector.selectsSite }

    /// Whether the other filter certainly shows every device that this filter shows.
    public func isNarrower(than other: DeviceFilter) -> Bool {
        if other.selector.selectsAll { return true }
        return selector.isText && other.selector.isText && text.lowercased().contains(other.text.lowercased())
    }

    /// Whether it shows a device; if its site is unknown, no `site:NAME` fits.
    public func matches(name: String?, id: DeviceID, site: String? = nil) -> Bool {
        selector.matches(name: name, id: id, site: site)
    }
}

/// A pattern for names: `*` stands for any characters, also none, and `?` for one; upper and lower case are
/// the same.
public struct GlobPattern: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case anyCharacters, anyCharacter, character(Character)
    }

    private let pieces: [Piece]

    public init(_ text: String) {
        pieces = text.lowercased().map { character in
            switch character {
            case "*": .anyCharacters
            case "?": .anyCharacter
            default: .character(character)
            }
        }
    }

    /// Whether a text has a `*` or `?`; without one it is a whole name.
    static func hasWildcard(_ text: String) -> Bool { text.contains { $0 == "*" || $0 == "?" } }

    /// Whether the pattern matches the whole name. A mismatch backtracks only to the last `*`, so the time is
    /// at most the product of both lengths.
    public func matches(_ name: String) -> Bool {
        let characters = Array(name.lowercased())
        var (place, next) = (0, 0)
        var lastStar: (next: Int, place: Int)?
        while place < characters.count {
            if next < pieces.count, pieces[next] == .anyCharacters {
                next += 1
                lastStar = (next, place)
            } else if next < pieces.count,
                pieces[next] == .anyCharacter || pieces[next] == .character(characters[place])
            {
                next += 1
                place += 1
            } else if let star = lastStar {
                lastStar = (star.next, star.place + 1)
                (next, place) = (star.next, star.place + 1)
            } else {
                return false
            }
        }
        return pieces[next...].allSatisfy { $0 == .anyCharacters }
    }
}
