import FleetProtocol
import Testing
import Wording

@testable import fleet

@Suite("Finding devices")
struct DeviceDirectoryTests {
    private static let names = [
        "Bedroom 1", "Bedroom 12", "Office", "office", "Kitchen", "Twin", "Twin", "den",
    ]
    private let directory = DeviceDirectory(
        names.enumerated().map { ListedDevice.sample($1, UInt64($0)) })

    @Test(
        "a device is found by its name, or by a part that no other has",
        arguments: [
            ("Bedroom 1", 0), ("bedroom 1", 0), ("Bedroom 12", 1), ("room 12", 1), ("12", 1), ("Office", 2),
            ("office", 3), ("KITCHEN", 4), ("kitch", 4), ("den", 7),
        ])
    func found(text: String, index: Int) throws {
        #expect(directory.match(text) == .found(directory.devices[index]))
        #expect(try directory.device(text) == directory.devices[index])
    }

    @Test("a device is found by its id, even when another's name is that")
    func byID() {
        let first = ListedDevice.sample("A")
        let named = ListedDevice.sample(first.id.description, 1)
        #expect(DeviceDirectory([named, first]).match(first.id.description) == .found(first))
    }

    @Test("eight letters that are no id of a device are a name", arguments: ["Bathroom"])
    func nameLikeID(name: String) {
        let device = ListedDevice.sample(name)
        #expect(DeviceDirectory([device]).match(name) == .found(device))
    }

    @Test(
        "a text that several devices fit lists them, and is a usage error",
        arguments: [("Bed", [0, 1]), ("OFFICE", [2, 3]), ("Twin", [5, 6])])
    func ambiguous(text: String, candidates: [Int]) {
        #expect(directory.match(text) == .ambiguous(candidates.map { directory.devices[$0] }))
        let failure = #expect(throws: CommandFailure.self) { try directory.device(text) }
        #expect(failure?.status == .usage)
        for candidate in candidates {
            #expect(failure?.problem.contains(directory.devices[candidate].id.description) == true)
        }
    }

    @Test("no more than ten candidates are listed, and the others counted")
    func manyCandidates() {
        let many = DeviceDirectory((0..<25).map { ListedDevice.sample("Room \($0)", $0) })
        let failure = #expect(throws: CommandFailure.self) { try many.device("Room") }
        #expect(failure?.problem.split(separator: "\n").count == 1 + 10 + 1)
        #expect(failure?.problem.hasSuffix("… and 15 more") == true)
    }

    @Test("a text that no device fits is notFound", arguments: ["", "Garage", "Bedroom 123", "zzzzzzzz"])
    func none(text: String) {
        #expect(directory.match(text) == .none)
        let failure = #expect(throws: CommandFailure.self) { try directory.device(text) }
        #expect(failure?.status == .notPermitted)
        #expect(failure?.problem.contains("notFound") == true)
    }

    @Test(
        "a filter keeps parts of names and ids in any case",
        arguments: [
            ("", 8), ("BED", 2), ("office", 2), ("garage", 0),
        ])
    func filter(text: String, count: Int) {
        #expect(directory.filtered(by: DeviceFilter(text)).count == count)
    }

    @Test("a filter keeps a device by a part of its id")
    func filterByID() {
        let device = directory.devices[4]
        #expect(directory.filtered(by: DeviceFilter(String(device.id.description.dropFirst(2)))) == [device])
    }

    @Test(
        "selectors mean all devices, a pattern's, or one",
        arguments: [
            (["all"], [0, 1, 2, 3, 4, 5, 6, 7]), (["bedroom*"], [0, 1]), (["*tch*n*"], [4]),
            (["den", "*12"], [1, 7]), (["bed*", "Bedroom 12"], [0, 1]),
        ])
    func selectors(selectors: [String], expected: [Int]) throws {
        #expect(try directory.selected(by: selectors) == expected.map { directory.devices[$0] })
    }

    @Test("a selector that means no device fails", arguments: [["garage*"], ["all", "garage"]])
    func emptySelectors(selectors: [String]) {
        #expect(throws: CommandFailure.self) { try directory.selected(by: selectors) }
    }

    @Test("a device named twice is asked once")
    func unique() throws {
        #expect(
            try directory.uniqueDevices(["den", "Kitchen", "DEN"]) == [7, 4].map { directory.devices[$0] })
    }

    @Test(
        "a star stands for any characters",
        arguments: [
            ("*", "", true), ("*", "x", true), ("a*", "abc", true), ("a*", "ba", false), ("*c", "abc", true),
            ("a*c", "ac", true), ("a*a", "a", false), ("a*b*c", "axxbxxc", true), ("a*b*c", "acb", false),
            ("abc", "ABC", true), ("abc", "abcd", false), ("*ab*ab*", "ab", false), ("**", "x", true),
        ])
    func patterns(pattern: String, name: String, matches: Bool) {
        #expect(WildcardPattern(pattern).matches(name) == matches)
    }
}
