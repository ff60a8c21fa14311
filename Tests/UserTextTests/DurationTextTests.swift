import Testing
import UserText

@Suite("Durations as text")
struct DurationTextTests {
    @Test(
        "a duration is parsed",
        arguments: [
            ("5s", Duration.seconds(5)), ("200ms", .milliseconds(200)), ("1.5s", .milliseconds(1_500)),
            ("2m", .seconds(120)), ("1h", .seconds(3_600)), ("0s", .zero), ("0.25ms", .microseconds(250)),
            ("1.5h", .seconds(5_400)), ("10000h", .seconds(36_000_000)), ("007s", .seconds(7)),
        ])
    func parsed(text: String, expected: Duration) throws {
        #expect(try DurationText.parse(text) == expected)
    }

    @Test(
        "an invalid duration is refused",
        arguments: [
            "", "5", "s", "5 s", " 5s", "5s ", "5S", "five s", "1.s", ".5s", "1.2.3s", "1e3s", "+5s", "5us",
            "5d",
            "0x5s", "５s", "10001h", "99999999999999999999s", "10000.5h", "1,5s",
        ])
    func refused(text: String) {
        #expect(throws: DurationText.Invalid.self) { try DurationText.parse(text) }
    }

    @Test("a negative duration is refused as negative", arguments: ["-5s", "-0.1ms", "-x"])
    func negative(text: String) {
        let error = #expect(throws: DurationText.Invalid.self) { try DurationText.parse(text) }
        #expect(
            error?.description
                == "'\(text)' is not a duration: it is negative; a duration is zero or more")
    }

    @Test(
        "a duration is printed",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(200), "200ms"), (.microseconds(250), "0.25ms"),
            (.seconds(5), "5s"), (.milliseconds(1_500), "1.5s"), (.seconds(59), "59s"), (.seconds(60), "1m"),
            (.seconds(90), "90s"), (.seconds(7_200), "2h"), (.milliseconds(61_001), "61.001s"),
            (.seconds(-2), "-2s"),
        ])
    func written(duration: Duration, expected: String) {
        #expect(DurationText.text(duration) == expected)
    }

    @Test(
        "a printed duration of whole milliseconds is parsed as the same",
        arguments: [
            1, 999, 1_000, 1_001, 59_999, 60_000, 3_600_000, 3_600_001, 86_400_000,
        ])
    func roundTrip(milliseconds: Int) throws {
        let duration = Duration.milliseconds(milliseconds)
        #expect(try DurationText.parse(DurationText.text(duration)) == duration)
    }
}
