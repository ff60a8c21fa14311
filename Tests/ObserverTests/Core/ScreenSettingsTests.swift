import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Settings of the screen")
struct ScreenSettingsTests {
    private static var changed: ScreenSettings {
        var settings = ScreenSettings()
        (settings.sort, settings.isReversed, settings.grouping) = (.room, true, .node)
        (settings.hiddenColumns, settings.hasDetailsBeside) = ([.trend, .id], false)
        return settings
    }

    @Test("settings are stored as JSON, and read as they were")
    func stored() {
        #expect(
            Self.changed.json
                == #"{"sort":"room","reversed":true,"group":"node","hidden":["id","trend"],"details":false}"#)
        #expect(ScreenSettings(json: Self.changed.json) == Self.changed)
        #expect(ScreenSettings(json: ScreenSettings().json) == ScreenSettings())
    }

    @Test("a missing setting has its default, and unknown members are ignored")
    func partial() {
        var settings = ScreenSettings()
        settings.sort = .name
        #expect(ScreenSettings(json: #"{"sort":"name","theme":"dark"}"#) == settings)
        #expect(ScreenSettings(json: "{}") == ScreenSettings())
    }

    @Test(
        "damaged settings are refused as a whole",
        arguments: [
            "", "{", "[]", #"{"sort":"colour"}"#, #"{"sort":3}"#, #"{"group":"floor"}"#,
            #"{"reversed":"no"}"#,
            #"{"hidden":["id","name"]}"#, #"{"hidden":"id"}"#, "{\"sort\":\"name\"",
        ])
    func damaged(json: String) {
        #expect(ScreenSettings(json: json) == nil)
    }

    @Test("keys change the settings, which are handed out once after a change")
    func taken() throws {
        let reader = try ScreenReader(.whole())
        #expect(reader.view.takeChangedSettings() == nil)
        reader.press(.character("s"), .character("S"), .character("b"), .character("p"))
        reader.press(.character("C"), .character(" "), .escape)
        var expected = ScreenSettings()
        (expected.sort, expected.isReversed, expected.grouping) = (.name, true, .site)
        (expected.hiddenColumns, expected.hasDetailsBeside) = ([.id], false)
        #expect(reader.view.takeChangedSettings() == expected)
        #expect(reader.view.takeChangedSettings() == nil)
        reader.press(.character("/"))
        reader.type("bed")
        reader.press(.enter, .character("f"))
        #expect(reader.view.takeChangedSettings() == nil, "filters are not stored")
    }

    @Test("a view with stored settings shows them, and hands them out only after a change or a reset")
    func used() throws {
        let reader = try ScreenReader(.whole())
        reader.view.use(Self.changed)
        #expect(reader.view.settings == Self.changed)
        #expect(reader.lines()[0].contains("by room, reversed, grouped by node"))
        #expect(!reader.lines()[1].contains("trend"))
        #expect(reader.view.takeChangedSettings() == nil)
        reader.view.storeSettings()
        #expect(reader.view.takeChangedSettings() == Self.changed)
        #expect(reader.view.takeChangedSettings() == nil)
    }
}
