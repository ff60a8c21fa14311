import FleetProtocol
import Testing

@Suite("Identifiers")
struct IdentifierTests {
    @Test("device IDs of one fleet are unique and have eight letters or digits")
    func deviceIDs() {
        let ids = Set((0..<200_000).map { DeviceID(fleetSeed: 42, index: $0) })
        #expect(ids.count == 200_000)
        #expect(ids.allSatisfy { DeviceID($0.description) == $0 })
        #expect(DeviceID(fleetSeed: 42, index: 7) == DeviceID(fleetSeed: 42, index: 7))
        #expect(DeviceID(fleetSeed: 42, index: 7) != DeviceID(fleetSeed: 43, index: 7))
    }

    @Test(
        "a device ID has the device's index, which the fleet's seed decodes", arguments: [0, 42, UInt64.max])
    func indices(seed: UInt64) throws {
        let largest: UInt64 = 218_340_105_584_895
        for index in [0, 1, 61, 62, 999_999, 14_776_335, 14_776_336, largest] {
            #expect(DeviceID(fleetSeed: seed, index: index).index(inFleetOf: seed) == index)
        }
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<10_000 {
            let index = UInt64.random(in: 0...largest, using: &generator)
            #expect(DeviceID(fleetSeed: seed, index: index).index(inFleetOf: seed) == index)
        }
        let stranger = try #require(DeviceID("zzzzzzzz"))
        #expect(DeviceID(fleetSeed: seed, index: stranger.index(inFleetOf: seed)) == stranger)
    }

    @Test(
        "an invalid device ID is refused",
        arguments: ["", "short", "toolong99", "has spac", "ünïcodéé", "12345678\n"])
    func notDeviceIDs(text: String) {
        #expect(DeviceID(text) == nil)
    }

    @Test(
        "a request ID has its time, is a UUIDv7, and is unchanged by printing and parsing",
        arguments: 1...200 as ClosedRange<UInt64>)
    func requestIDs(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let time = WallTime(unixMilliseconds: 1_700_000_000_000 + Int64(seed))
        let id = RequestID(at: time, using: &generator)
        #expect(id.isVersion7)
        #expect(id.time == time)
        #expect(RequestID(id.description) == id)
        #expect(RequestID(id.description.uppercased()) == id)
    }

    @Test(
        "an invalid UUID is refused",
        arguments: [
            "", "x", "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e0", "0190a6e87c5b7d2e9a413f5b8c2d1e07",
            "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e0g", "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07-",
            "+190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07",
        ])
    func notRequestIDs(text: String) {
        #expect(RequestID(text) == nil)
    }

    @Test("invalid names of accounts and nodes, and invalid emails, are refused")
    func names() {
        #expect(AccountID("demo-2") != nil)
        #expect(AccountID("") == nil)
        #expect(AccountID("Demo") == nil)
        #expect(AccountID("a/b") == nil)
        #expect(AccountID(String(repeating: "a", count: 33)) == nil)
        #expect(NodeName("node-1.a_B") != nil)
        #expect(NodeName("..") == nil)
        #expect(NodeName("a/b") == nil)
        #expect(Email("Someone@Example.org")?.address == "someone@example.org")
        // The store distinguishes these two; Swift strings compare as equal.
        #expect(Email("ren\u{e9}@x") != Email("rene\u{301}@x"))
        for text in [
            "", "a", "@", "a@", "@b", "a@b@c", "a b@c", "a\u{7}@c", String(repeating: "a", count: 260) + "@b",
        ] {
            #expect(Email(text) == nil)
        }
    }

    @Test("the topic of the longest account name fits")
    func topics() throws {
        let longest = try #require(AccountID(String(repeating: "z", count: Limits.accountBytes)))
        #expect(Topic.stream(of: longest).count <= Limits.topicBytes)
    }

    @Test("descriptions do not show secrets")
    func secrets() throws {
        let token = try #require(Token([UInt8](repeating: 0xab, count: 32)))
        let password = try #require(Password("hunter2"))
        let text =
            "\(token) \(password) \(String(reflecting: password)) \(ClientRequest.Body.login(email: try #require(Email("a@b")), password: password))"
        #expect(!text.contains("hunter2"))
        #expect(!text.contains("abab") && !text.contains("171"))
    }
}
