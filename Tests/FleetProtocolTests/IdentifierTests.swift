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

    @Test("the network of a login source is the text before the first space")
    func network() throws {
        let source = try #require(LoginSource("2001:db8:1::/48 2001:db8:1:2::/64"))
        #expect(source.network == LoginSource("2001:db8:1::/48"))
        #expect(try #require(LoginSource("192.0.2.1")).network == nil)
        #expect(try #require(LoginSource(" x")).network == nil)
    }

    @Test("a token is 64 hexadecimal digits, and other text is refused")
    func tokens() {
        let digits = String(repeating: "5e", count: 32)
        #expect(Token(hexadecimal: digits) == Token([UInt8](repeating: 0x5e, count: 32)))
        let most = String(digits.dropLast())
        for text in ["", "5e", digits + "5e", most + "g", most + "é"] {
            #expect(Token(hexadecimal: text) == nil)
        }
    }
}

@Suite("Names and tokens of cells")
struct CellTokenTests {
    private static let digits = String(repeating: "0a", count: 32)

    @Test("a cell's name has 1 to 16 of a-z, 0-9 and -, and does not begin with a hyphen")
    func names() {
        for name in ["c", "c2", "eu-west-1", "0123456789abcdef"] { #expect(CellName(name)?.text == name) }
        for name in ["", "-c", "C1", "c_1", "c 1", "ü", "0123456789abcdefg"] {
            #expect(CellName(name) == nil)
        }
    }

    @Test("a token's text names its cell, and a fleet without cells has the digits alone")
    func texts() throws {
        let inCell = try #require(CellToken("sb_c2_\(Self.digits)"))
        #expect(inCell.cell == CellName("c2"))
        #expect(inCell.text == "sb_c2_\(Self.digits)")
        let plain = try #require(CellToken(Self.digits))
        #expect(plain.cell == nil)
        #expect(plain.text == Self.digits)
        #expect(inCell.token == plain.token)
    }

    @Test(
        "other texts are not tokens",
        arguments: [
            "", "sb_", "sb_c2_", "sb__\(digits)", "sb_C2_\(digits)", "sb_c2_\(digits)0", "sb_c2_c3_\(digits)",
            "sb-c2-\(digits)", "\(digits) ", "sb_c2_" + String(repeating: "g", count: 64),
        ])
    func others(text: String) {
        #expect(CellToken(text) == nil)
    }

    @Test("the description of a token never shows it")
    func secret() throws {
        #expect("\(try #require(CellToken(Self.digits)))" == "token")
    }
}

@Suite("A label")
struct LabelTests {
    @Test(
        "a text of 1 to 32 letters, digits, dots, underscores and hyphens is a label in lower case",
        arguments: [("kitchen", "kitchen"), ("Floor-2", "floor-2"), ("a.b_c", "a.b_c"), ("7", "7")])
    func allowed(text: String, label: String) {
        #expect(Label(text)?.text == label)
    }

    @Test(
        "an empty text, one longer than 32 bytes, or one with other characters is refused",
        arguments: ["", String(repeating: "a", count: 33), "two words", "kjøkken", "a=b", "a,b", "\u{1b}[2J"])
    func refused(text: String) {
        #expect(Label(text) == nil)
    }
}

@Suite("Stream topics")
struct TopicTests {
    @Test("a stream's topic begins with its account's topic, and is never a prefix of another's")
    func prefixFree() throws {
        let accounts = try ["a", "a-1", "b"].map { try #require(AccountID($0)) }
        let topics = accounts.flatMap { account in
            (UInt64(1)...120).map { StreamTopic(account: account, number: $0).bytes }
        }
        for topic in topics { #expect(topics.filter { $0.starts(with: topic) } == [topic]) }
        #expect(topics[0].starts(with: Topic.stream(of: accounts[0])))
        #expect(!topics[120].starts(with: Topic.stream(of: accounts[0])))
    }

    @Test("a stream's topic is within the topic limit")
    func longest() throws {
        let account = try #require(AccountID(String(repeating: "a", count: 32)))
        #expect(StreamTopic(account: account, number: .max).bytes.count <= Limits.topicBytes)
    }
}
