import FleetProtocol
import ProcessSupport
import Testing

@Suite("Retention of results")
struct RetentionTests {
    @Test("the default retention is a day and a million results")
    func usual() {
        #expect(Retention().arguments == ["--retention", "24h", "--retention-results", "1000000"])
    }

    @Test(
        "a retention of a minute or more is parsed",
        arguments: [
            ("1m", Duration.seconds(60)), ("60s", .seconds(60)), ("1.5h", .seconds(5_400)),
            ("10000h", .seconds(36_000_000)),
        ])
    func times(text: String, expected: Duration) throws {
        #expect(try Retention.time(of: text) == expected)
    }

    @Test(
        "a retention out of range, or of another form, is refused with the allowed values",
        arguments: ["0s", "59.999s", "-1h", "10001h", "24", "a day", ""])
    func refusedTimes(text: String) {
        let error = #expect(throws: RuntimeError.self) { try Retention.time(of: text) }
        #expect(error?.description == "'\(text)' is not a retention: write 1m to 10000h, such as 24h")
    }

    @Test("a number of results is parsed, up to half of the capacity", arguments: [1, 4_000_000])
    func results(count: Int) throws {
        #expect(try Retention.results(of: "\(count)") == count)
    }

    @Test(
        "a number of results out of range, or of another form, is refused with the allowed values",
        arguments: ["0", "-1", "4000001", "99999999999999999999", "1,000", "all", ""])
    func refusedResults(text: String) {
        let error = #expect(throws: RuntimeError.self) { try Retention.results(of: text) }
        #expect(error?.description == "'\(text)' is not a retention: write 1 to 4000000")
    }
}
