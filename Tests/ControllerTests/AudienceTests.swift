import FleetProtocol
import Testing

@testable import controller

@Suite("The audience of the stream")
struct AudienceTests {
    private let account: AccountID
    private let other: AccountID

    init() throws {
        account = try #require(AccountID("demo"))
        other = try #require(AccountID("other"))
    }

    private func word(_ flag: UInt8, _ prefix: [UInt8]) -> [UInt8] { [flag] + prefix }

    @Test("is there from the first subscription to an account's topic until the end of the last")
    func ofOneAccount() {
        var audience = Audience()
        #expect(!audience.mayWatch(account))
        #expect(audience.note(word(1, Topic.stream(of: account)))?.begins == true)
        #expect(audience.note(word(1, Topic.stream(of: account)))?.begins == true)
        #expect(audience.mayWatch(account))
        #expect(!audience.mayWatch(other))
        // libzmq tells of the last end alone.
        #expect(audience.note(word(0, Topic.stream(of: account)))?.begins == false)
        #expect(!audience.mayWatch(account))
    }

    @Test("may be everywhere while somebody subscribes to another prefix", arguments: ["", "u/", "u/de"])
    func ofAnyPrefix(prefix: String) {
        var audience = Audience()
        #expect(audience.note(word(1, Array(prefix.utf8))) == nil)
        #expect(audience.mayWatch(account))
        #expect(audience.note(word(0, Array(prefix.utf8))) == nil)
        #expect(!audience.mayWatch(account))
    }

    @Test("may be everywhere once more accounts were named than are told apart")
    func manyAccounts() throws {
        var audience = Audience()
        for number in 0..<Audience.accountsAtMost {
            let stranger = try #require(AccountID("stranger-\(number)"))
            #expect(audience.note(word(1, Topic.stream(of: stranger))) != nil)
        }
        #expect(!audience.mayWatch(account))
        #expect(audience.note(word(1, Topic.stream(of: account))) != nil)
        #expect(audience.mayWatch(account))
        #expect(audience.mayWatch(other))
    }

    @Test("is rather thought to be there than not", arguments: [[], [0], [0, 0x75], [2, 1]])
    func nonsense(bytes: [UInt8]) {
        var audience = Audience()
        _ = audience.note(word(1, []))
        _ = audience.note(word(1, []))
        _ = audience.note(bytes)
        #expect(audience.mayWatch(account))
    }
}
