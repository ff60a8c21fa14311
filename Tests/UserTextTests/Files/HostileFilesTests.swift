import DeviceCore
import FleetProtocol
import Testing
import UserFiles

@Suite("Hostile scenario files")
struct HostileFilesTests {
    private func message(of text: String) -> String? {
        #expect(throws: InvalidFile.self) {
            try ScenarioText.parse(Array(text.utf8), file: "hostile.yaml", name: "hostile")
        }?.description
    }

    /// Each level is a list of nine of the one below: a billion values after nine.
    private func laughs(levels: Int, asKey: Bool) -> String {
        let lists = (1...levels).map { level in
            "k\(level): &a\(level) [" + (0..<9).map { _ in "*a\(level - 1)" }.joined(separator: ", ") + "]\n"
        }
        let end = asKey ? "? *a\(levels)\n: 1\n" : ""
        return "k0: &a0 laugh\n" + lists.joined() + end
    }

    @Test("aliases that would expand to billions of values are refused", arguments: [false, true])
    func billionLaughs(asKey: Bool) throws {
        let refusal = try #require(message(of: laughs(levels: 9, asKey: asKey)))
        #expect(refusal.contains("hostile.yaml:1:5: k0: found an anchor (&)"))
        #expect(refusal.hasPrefix(asKey ? "11 problems" : "10 problems"))
    }

    @Test("large keys within large keys are refused")
    func largeKeys() throws {
        let list = "[" + String(repeating: "a,", count: 25_000) + "a]"
        let nested = try #require(message(of: String(repeating: "? ", count: 900) + list))
        #expect(nested.contains("hostile.yaml:1:3: found a key that is not a word"))
        #expect(nested.contains("hostile.yaml:1:17: found lists and mappings nested more than 8 levels deep"))
        let alone = try #require(message(of: "? " + list))
        #expect(alone.contains("hostile.yaml:1:3: found a key that is not a word"))
    }

    @Test("aliases and anchors are each refused at their place")
    func fewAliases() throws {
        let refusal = try #require(message(of: "a: &x 1\n? [*x, *x]\n: *x\nb: *x\n"))
        #expect(refusal.contains("hostile.yaml:1:4: a: found an anchor (&)"))
        #expect(refusal.contains("hostile.yaml:2:3: found a key that is not a word"))
        #expect(refusal.contains("hostile.yaml:4:4: b: found an alias (*)"))
    }

    @Test("tens of thousands of aliases are refused")
    func manyAliases() throws {
        let refusal = try #require(message(of: "a: [\(String(repeating: "*x, ", count: 15_000))]"))
        #expect(refusal.hasPrefix("15000 problems, first 20 shown:"))
    }

    @Test("stars in comments and texts are allowed")
    func stars() throws {
        let doubt = String(repeating: "What? ", count: 30)
        let text = "# *** \(doubt) ***, *really*\nabout: 2 * 3 is 6, and *this* is emphasis\n"
        let scenario = try ScenarioText.parse(Array(text.utf8), file: "stars.yaml", name: "stars")
        #expect(scenario.about == "2 * 3 is 6, and *this* is emphasis")
    }

    @Test(
        "deeply nested values are refused",
        arguments: [
            String(repeating: "[", count: 60_000), String(repeating: "{", count: 60_000),
            String(repeating: "- ", count: 30_000), String(repeating: "? ", count: 30_000),
            String(repeating: "[", count: 900) + String(repeating: "]", count: 900),
            String(repeating: "a: [{", count: 300),
        ])
    func deep(text: String) throws {
        _ = try #require(message(of: text))
    }

    @Test("a file that is too large is refused with its size")
    func large() throws {
        let fitting = "#" + String(repeating: "x", count: FileLimits.bytes - 10) + "\nname: x"
        #expect(throws: Never.self) {
            try ScenarioText.parse(Array(fitting.utf8), file: "x.yaml", name: "x")
        }
        let refusal = try #require(message(of: fitting + "     "))
        #expect(refusal == "hostile.yaml: found more than 64 KiB; allowed: at most 64 KiB")
    }

    @Test("too many groups, rooms, periods and times are refused")
    func numerous() throws {
        func list(_ count: Int, _ item: (Int) -> String) -> String {
            "[" + (0..<count).map(item).joined(separator: ", ") + "]"
        }
        let files = [
            ("population: " + list(257) { "{site: S\($0)}" }, "256 groups"),
            ("population: [{rooms: \(list(1_001) { "R\($0)" })}]", "1 to 1,000 names"),
            (
                "population: [{rooms: \(list(501) { "R\($0)" })}, {rooms: \(list(500) { "R\($0)" })}]",
                "1,001 rooms in all"
            ),
            ("nodes: {crashes-per-hour: \(list(49) { _ in "{}" })}", "48 periods"),
            ("herd: {at: \(list(25) { _ in "09:00" })}", "24 times"),
        ]
        for (text, part) in files {
            let refusal = try #require(message(of: text))
            #expect(refusal.contains(part), "\(refusal)")
        }
    }

    @Test("bytes that are not UTF-8 are refused")
    func noText() {
        let error = #expect(throws: InvalidFile.self) {
            try ScenarioText.parse([0x61, 0xff, 0xfe], file: "x.yaml", name: "x")
        }
        #expect(error?.description == "x.yaml: found bytes that are not valid UTF-8; allowed: text in UTF-8")
    }

    @Test("thousands of mutations of valid files are parsed or refused, and none crashes")
    func mutations() {
        var generator = SeededGenerator(seed: 20_260_801)
        let files = ReadyMadeScenario.allCases.map(\.text)
        let pieces = [
            "*a", "&a ", "!!x ", "[", "]", "{", "}", "- ", ": ", "? ", "\n", "\t", "\"", "'", "|\n", "%",
            "\u{0}",
        ]
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: .seconds(2))
        var refused = 0
        for round in 0..<4_000 where clock.now < end {
            var bytes = files[Int.random(in: files.indices, using: &generator)]
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.removeSubrange(place..<min(bytes.count, place + 5))
                case 2:
                    let piece = pieces[Int.random(in: pieces.indices, using: &generator)]
                    bytes.insert(contentsOf: piece.utf8, at: place)
                default:
                    let other = Int.random(in: 0..<bytes.count, using: &generator)
                    bytes.insert(contentsOf: bytes[other..<min(bytes.count, other + 40)], at: place)
                }
            }
            do throws(InvalidFile) {
                let scenario = try ScenarioText.parse(bytes, file: "mutated.yaml", name: "mutated")
                #expect(Scenario.Layout(of: scenario.population).counts(of: 1_000).reduce(0, +) == 1_000)
                guard round.isMultiple(of: 20) else { continue }
                #expect(ScenarioPreview(of: scenario, devices: 1_000).lines.count > 5)
            } catch {
                refused += 1
                #expect(!error.problems.isEmpty && error.problems.count <= FileLimits.problems)
                #expect(error.problems.allSatisfy { $0.description.count < 600 })
            }
        }
        #expect(refused > 10)
    }
}
