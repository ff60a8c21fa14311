import FleetProtocol
import Testing
import UserText

@Suite("DeviceSelector")
struct DeviceSelectorTests {
    private struct Device: SelectableDevice, Equatable {
        let id: DeviceID
        let name: String
        let siteName: String?
    }

    private static let names = [
        "Bedroom 1", "Bedroom 12", "Hall 1", "Hall 2", "office", "Office", "Twin", "Twin", "What?", "All",
    ]
    private static let devices = names.enumerated().map { index, name in
        Device(
            id: DeviceID(fleetSeed: 1, index: UInt64(index)), name: name,
            siteName: index < 2 ? "Mill Lane 4" : index == 2 ? nil : "Home")
    }

    /// The positions of the devices that a text selects, and whether it is ambiguous.
    private func select(
        _ text: String, _ partOfSeveral: DeviceSelector.PartOfSeveral = .isAmbiguous
    ) -> (places: [Int], isAmbiguous: Bool) {
        let places = { (found: [Device]) in found.compactMap { Self.devices.firstIndex(of: $0) } }
        return switch DeviceSelector(text).select(from: Self.devices, partOfSeveral: partOfSeveral) {
        case .devices(let found): (places(found), false)
        case .ambiguous(let found): (places(found), true)
        }
    }

    @Test(
        "a name with emoji is selected as a terminal shows it", arguments: ["kids ❤", "Kids ❤\u{fe0f}", "❤"])
    func emoji(text: String) {
        let device = Device(id: DeviceID(fleetSeed: 1, index: 0), name: "Kids ❤\u{fe0f}", siteName: nil)
        let selection = DeviceSelector(text).select(from: [device], partOfSeveral: .isAmbiguous)
        if case .devices(let found) = selection {
            #expect(found == [device])
        } else {
            Issue.record("\(selection)")
        }
        #expect(DeviceFilter(text).matches(name: device.name, id: device.id))
    }

    @Test("`all` selects every device, and is not a part of a name", arguments: ["all", "ALL"])
    func all(text: String) {
        #expect(select(text).places == Array(Self.devices.indices))
        #expect(DeviceSelector(text).selectsAll)
        #expect(DeviceFilter(text).matches(name: "Den", id: Self.devices[0].id))
    }

    @Test(
        "a selector's first match decides: ID, name, name in any case, site, pattern, part of a name",
        arguments: [
            (devices[3].id.description, [3]), ("Bedroom 1", [0]), ("bedroom 1", [0]), ("office", [4]),
            ("Office", [5]), ("OFFICE", [4, 5]), ("site:mill lane 4", [0, 1]), ("Site:mill*", [0, 1]),
            ("bed*", [0, 1]), ("hall ?", [2, 3]), ("What?", [8]), ("hat?", []), ("*", Array(0..<10)),
            ("12", [1]), ("room 12", [1]), ("garage", []), ("site:garage", []), ("", []),
        ] as [(String, [Int])])
    func readings(text: String, places: [Int]) {
        let selected = select(text)
        #expect(selected.places == places)
        #expect(selected.isAmbiguous == (text == "OFFICE"))
    }

    @Test("a part of several names is ambiguous for a change, and selects all devices for a list")
    func parts() {
        #expect(select("hall") == ([2, 3], true))
        #expect(select("hall", .selectsAll) == ([2, 3], false))
        #expect(select("Twin", .selectsAll) == ([6, 7], false))
        #expect(select("", .selectsAll).places == Array(Self.devices.indices))
    }

    @Test("a part of an ID selects a device for a list")
    func partOfID() {
        let text = String(Self.devices[7].id.description.dropFirst(2))
        #expect(select(text).places == [])
        #expect(select(text, .selectsAll).places == [7])
    }

    @Test(
        "a filter is narrower if it certainly shows only devices that the other shows",
        arguments: [
            ("bed", "be", true), ("be", "bed", false), ("b", "", true), ("all", "al", false),
            ("al", "all", true), ("bed*", "bed", false), ("bedroom", "bed*", false), ("b", "all", true),
        ])
    func narrower(one: String, other: String, isNarrower: Bool) {
        #expect(DeviceFilter(one).isNarrower(than: DeviceFilter(other)) == isNarrower)
    }

    @Test(
        "in a pattern `*` stands for any characters and `?` for one",
        arguments: [
            ("*", "", true), ("*", "x", true), ("a*", "abc", true), ("a*", "ba", false), ("*c", "abc", true),
            ("a*c", "ac", true), ("a*a", "a", false), ("a*b*c", "axxbxxc", true), ("a*b*c", "acb", false),
            ("abc", "ABC", true), ("abc", "abcd", false), ("*ab*ab*", "ab", false), ("**", "x", true),
            ("?", "", false), ("?", "x", true), ("a?c", "abc", true), ("a?", "abc", false),
            ("*?b", "ab", true), ("*?b", "b", false), ("a*?", "a", false),
        ])
    func patterns(pattern: String, name: String, matches: Bool) {
        #expect(GlobPattern(pattern).matches(name) == matches)
    }
}
