import FleetProtocol
import Testing
import UserText

@testable import fleet

@Suite("DeviceDirectory")
struct DeviceDirectoryTests {
    private static let names = [
        "Bedroom 1", "Bedroom 12", "Office", "office", "Kitchen", "Twin", "Twin", "den",
    ]
    private let directory = DeviceDirectory(names.enumerated().map { ListedDevice.sample($1, UInt64($0)) })

    @Test(
        "a device is found by its name, or by a part of a name that is unique",
        arguments: [
            ("Bedroom 1", 0), ("bedroom 1", 0), ("Bedroom 12", 1), ("room 12", 1), ("12", 1), ("Office", 2),
            ("office", 3), ("KITCHEN", 4), ("kitch", 4), ("den", 7),
        ])
    func found(text: String, index: Int) throws {
        #expect(try directory.device(text) == directory.devices[index])
    }

    @Test("a device is found by its ID even if another device has that ID as its name")
    func byID() throws {
        let first = ListedDevice.sample("A")
        let named = ListedDevice.sample(first.id.description, 1)
        #expect(try DeviceDirectory([named, first]).device(first.id.description) == first)
    }

    @Test("a name of eight letters that is not a device ID is treated as a name", arguments: ["Bathroom"])
    func nameLikeID(name: String) throws {
        let device = ListedDevice.sample(name)
        #expect(try DeviceDirectory([device]).device(name) == device)
    }

    @Test(
        "a selector that several devices match is a usage error that lists them",
        arguments: [("Bed", [0, 1]), ("OFFICE", [2, 3]), ("Twin", [5, 6])])
    func ambiguous(text: String, candidates: [Int]) {
        let failure = #expect(throws: CommandFailure.self) { try directory.device(text) }
        #expect(failure?.status == .usage)
        for candidate in candidates {
            #expect(failure?.problem.contains(directory.devices[candidate].id.description) == true)
        }
    }

    @Test("at most ten matching devices are listed, and the others are counted")
    func manyCandidates() {
        let many = DeviceDirectory((0..<25).map { ListedDevice.sample("Room \($0)", $0) })
        let failure = #expect(throws: CommandFailure.self) { try many.device("Room") }
        #expect(failure?.problem.split(separator: "\n").count == 12, "a sentence, ten devices, the rest")
        #expect(failure?.problem.hasSuffix("… and 15 more") == true)
    }

    @Test(
        "a selector that matches no device is notFound", arguments: ["", "Garage", "Bedroom 123", "zzzzzzzz"])
    func none(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try directory.device(text) }
        #expect(failure?.status == .notPermitted)
        #expect(failure?.problem.contains("notFound") == true)
    }

    @Test(
        "in a list, a part of a name selects every device with it, and a whole name one device",
        arguments: [("", 8), ("BED", 2), ("bedroom 1", 1), ("ffic", 2), ("garage", 0), ("all", 8)])
    func list(text: String, count: Int) throws {
        #expect(try directory.listed(by: [text]).count == count)
    }

    @Test("a list of several selectors has each device once, and a list without selectors has all devices")
    func listOfSeveral() throws {
        #expect(try directory.listed(by: ["den", "bed", "bed*"]) == [0, 1, 7].map { directory.devices[$0] })
        #expect(try directory.listed(by: []).count == 8)
    }

    @Test("in a list, a part of an ID selects the device")
    func listByID() throws {
        let device = directory.devices[4]
        #expect(try directory.listed(by: [String(device.id.description.dropFirst(2))]) == [device])
    }

    @Test(
        "selectors select all devices, those that match a pattern, or one",
        arguments: [
            (["all"], [0, 1, 2, 3, 4, 5, 6, 7]), (["bedroom*"], [0, 1]), (["*tch*n*"], [4]),
            (["den", "*12"], [7, 1]), (["bed*", "Bedroom 12"], [0, 1]),
        ])
    func selectors(selectors: [String], expected: [Int]) throws {
        #expect(try directory.selected(by: selectors) == expected.map { directory.devices[$0] })
    }

    @Test(
        "a condition of several words selects the devices for which it holds",
        arguments: [
            ("power on", [0, 1, 2, 3, 4, 5, 6, 7]), ("kitchen and on", [4]),
            ("room and not \"room 12\"", [0]),
            ("office or den", [2, 3, 7]), ("all and presence online and (kitchen or den)", [4, 7]),
        ])
    func conditions(selector: String, expected: [Int]) throws {
        let devices = expected.map { directory.devices[$0] }
        #expect(try directory.selected(by: [selector]) == devices)
        #expect(try directory.listed(by: [selector]) == devices)
    }

    @Test("a device whose whole name reads as a condition is selected by its name")
    func nameLikeCondition() throws {
        let named = ListedDevice.sample("Power on", 9)
        let directory = DeviceDirectory(directory.devices + [named])
        #expect(try directory.selected(by: ["power on"]) == [named])
        #expect(try directory.listed(by: ["power on"]) == [named])
        #expect(try directory.selected(by: ["presence online and on"]).count == 9)
    }

    @Test(
        "one word never selects by state, so that a stray one changes nothing", arguments: ["stale", "on "])
    func stateWord(word: String) {
        let failure = #expect(throws: CommandFailure.self) { try directory.selected(by: ["Kitchen", word]) }
        #expect(failure?.status == .notPermitted)
    }

    @Test("a condition that holds for no device is notFound, and selects nothing in a list")
    func unmetCondition() throws {
        let failure = #expect(throws: CommandFailure.self) { try directory.selected(by: ["power off"]) }
        #expect(failure?.status == .notPermitted)
        #expect(try directory.listed(by: ["power off"]).isEmpty)
    }

    @Test("a malformed condition is a usage error with the column, unless it is a part of a name")
    func malformedCondition() throws {
        let failure = #expect(throws: CommandFailure.self) { try directory.selected(by: ["den and"]) }
        #expect(failure?.status == .usage)
        #expect(failure?.problem.contains("column 8") == true)
        let salt = DeviceDirectory([.sample("Attic (north)")])
        #expect(try salt.selected(by: ["(north)"]) == salt.devices)
        #expect(try salt.selected(by: ["c (no"]) == salt.devices)
    }

    @Test("a selector that matches no device fails", arguments: [["garage*"], ["all", "garage"]])
    func emptySelectors(selectors: [String]) {
        #expect(throws: CommandFailure.self) { try directory.selected(by: selectors) }
    }

    @Test("a device that is selected twice gets one command")
    func unique() throws {
        #expect(
            try directory.selected(by: ["den", "Kitchen", "DEN"]) == [7, 4].map { directory.devices[$0] })
    }

    @Test(
        "a command for one device lists the candidates if the selector fits several",
        arguments: ["all", "bed*"])
    func oneOfSeveral(text: String) {
        let failure = #expect(throws: CommandFailure.self) { try directory.device(text) }
        #expect(failure?.status == .usage)
    }
}
