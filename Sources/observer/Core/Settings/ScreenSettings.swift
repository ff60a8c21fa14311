import FoundationEssentials
import UserText

/// The settings of the screen that are stored for the next start; filters are not among them.
struct ScreenSettings: Hashable, Sendable {
    var sort = TableSort.slot
    var isReversed = false
    var grouping = TableGrouping.none
    var hiddenColumns: Set<ColumnChoice> = []
    var hasDetailsBeside = true
}

/// The stored form: a line of JSON.
extension ScreenSettings {
    private struct Stored: Decodable {
        let sort: String?
        let reversed: Bool?
        let group: String?
        let hidden: [String]?
        let details: Bool?
    }

    /// Decodes stored settings; nil if the text is not JSON, or a value is not one that the screen has. A
    /// missing member has its default, and members with other names are ignored, because other versions may
    /// have written the text.
    init?(json: String) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json.utf8)) else { return nil }
        let hidden = (stored.hidden ?? []).map { ColumnChoice(rawValue: $0) }
        let sort = stored.sort.map { name in TableSort.allCases.first { $0.name == name } } ?? .slot
        let grouping = stored.group.map { TableGrouping(rawValue: $0) } ?? TableGrouping.none
        guard let sort, let grouping, !hidden.contains(nil) else { return nil }
        self.init()
        (self.sort, self.grouping, hiddenColumns) = (sort, grouping, Set(hidden.compactMap(\.self)))
        isReversed = stored.reversed ?? isReversed
        hasDetailsBeside = stored.details ?? hasDetailsBeside
    }

    var json: String {
        let hidden = ColumnChoice.allCases.filter(hiddenColumns.contains)
        let members: JSONObject = [
            "sort": sort.name, "reversed": isReversed, "group": grouping.rawValue,
            "hidden": hidden.map(\.rawValue), "details": hasDetailsBeside,
        ]
        return members.line
    }
}

/// The settings of the screen that the next start begins with.
extension ViewModel {
    mutating func use(_ settings: ScreenSettings) {
        (table.rule.sort, table.rule.isReversed) = (settings.sort, settings.isReversed)
        (table.rule.grouping, table.columns.hidden) = (settings.grouping, settings.hiddenColumns)
        panes.hasDetailsBeside = settings.hasDetailsBeside
        storedSettings = self.settings
    }

    /// Requests that the settings are stored, also if they do not change.
    mutating func storeSettings() { storedSettings = nil }

    var settings: ScreenSettings {
        var settings = ScreenSettings()
        (settings.sort, settings.isReversed) = (table.rule.sort, table.rule.isReversed)
        (settings.grouping, settings.hiddenColumns) = (table.rule.grouping, table.columns.hidden)
        settings.hasDetailsBeside = panes.hasDetailsBeside
        return settings
    }

    /// Returns the settings for the caller to store, if they have changed since the last call or since
    /// ``use(_:)``; nil otherwise.
    mutating func takeChangedSettings() -> ScreenSettings? {
        let settings = settings
        guard settings != storedSettings else { return nil }
        storedSettings = settings
        return settings
    }
}
