import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("The roster on the screen")
struct RosterTests {
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    private static func at(_ minutes: Int64) -> WallTime { start.advanced(by: .seconds(60 * minutes)) }

    fileprivate static func moment(_ minutes: Int64) -> Moment {
        Moment(monotonic: MonotonicTime.zero.advanced(by: .seconds(60 * minutes)), wall: at(minutes))
    }

    private static func loaded(
        _ shifts: [(String, Int64, Int64)], message: String = "", at minutes: Int64 = 0
    ) throws -> LoadedRoster {
        let plan = ShiftPlan(
            try shifts.map { try Shift(who: $0.0, email: Email($0.0), from: at($0.1), to: at($0.2)) })
        let roster = Roster(
            version: RosterVersion(3), heading: try RosterHeading(name: "Hotel", message: message),
            timeZone: try #require(TimeZoneName("Europe/Oslo")), shifts: UInt32(shifts.count),
            isEnforced: true)
        return LoadedRoster(
            account: try #require(AccountID("demo")), roster: roster, plan: plan, asOf: at(minutes))
    }

    private static func reader(_ view: ViewModel? = nil) throws -> ScreenReader {
        let reader = try ScreenReader(.whole(), view: view, width: 100, height: 20)
        reader.driver.now = moment(0)
        return reader
    }

    @Test("the roster line shows who is on duty and the message, and changes when a shift ends")
    func line() throws {
        let reader = try Self.reader()
        #expect(!reader.view.hasDuty)
        let plan: [(String, Int64, Int64)] = [("Kari", -60, 60), ("Ola\u{202e}", 60, 120), ("Per", 180, 240)]
        reader.view.handle(.loaded(try Self.loaded(plan, message: "Mind the step.")), at: .zero)
        #expect(reader.view.hasDuty)
        #expect(reader.line(at: 0) == "on duty: Kari until 09:00  Mind the step.")
        #expect(reader.line(at: 60) == "on duty: Ola until 10:00  Mind the step.")
        #expect(reader.line(at: 120) == "no one is on duty until 11:00  Mind the step.")
        #expect(reader.line(at: 240) == "no one is on duty  Mind the step.")
    }

    @Test("without a roster, or on a low screen, there is no roster line")
    func none() throws {
        let reader = try Self.reader()
        reader.view.handle(.loaded(try Self.loaded([])), at: .zero)
        #expect(!reader.view.hasDuty)
        reader.view.handle(.loaded(try Self.loaded([("Kari", -60, 60)])), at: .zero)
        #expect(!reader.lines(100, 9).joined().contains("on duty"))
        #expect(reader.lines(100, 10)[1].hasPrefix("on duty: Kari"))
        #expect(reader.lines(12, 10)[1] == "on duty: Ka…")
    }

    @Test("a stored roster is shown with its time until a new one is loaded")
    func stored() throws {
        let reader = try Self.reader()
        reader.view.handle(.stored(try Self.loaded([("Kari", -600, 6_000)], at: -120)), at: .zero)
        #expect(reader.line(at: 0).contains("Kari until 2027-01-19 12:00  as of 06:00"))
        reader.view.handle(.loaded(try Self.loaded([("Ola", -600, 60)])), at: .zero)
        #expect(reader.line(at: 0) == "on duty: Ola until 09:00")
        reader.view.handle(.stored(try Self.loaded([("Kari", -600, 6_000)])), at: .zero)
        #expect(reader.line(at: 0) == "on duty: Ola until 09:00")
    }

    @Test("the roster is loaded at once and every 500 s, with three retries before a failure is shown")
    func schedule() throws {
        let reader = try Self.reader()
        var now = MonotonicTime.zero
        #expect(reader.wantsRoster(at: now))
        #expect(!reader.wantsRoster(at: now.advanced(by: .seconds(9_999))), "one is in flight")
        reader.view.handle(.loaded(try Self.loaded([("Kari", -60, 60)])), at: now)
        #expect(!reader.wantsRoster(at: now.advanced(by: .milliseconds(499_999))))
        now = now.advanced(by: .seconds(500))
        #expect(reader.wantsRoster(at: now))
        for pause in LoadSchedule.retries {
            reader.view.handle(.failed(why: "nobody\u{7}answers"), at: now)
            #expect(reader.line(at: 0) == "on duty: Kari until 09:00")
            #expect(!reader.wantsRoster(at: now.advanced(by: pause - .milliseconds(1))))
            now = now.advanced(by: pause)
            #expect(reader.wantsRoster(at: now))
        }
        reader.view.handle(.failed(why: "nobody\u{7}answers"), at: now)
        let reported = reader.line(at: 0)
        let expected = "on duty: Kari until 09:00  could not load the roster: nobody\u{FFFD}answers"
        #expect(reported.hasPrefix(expected))
        #expect(reported.contains("as of 08:00"))
        #expect(!reader.wantsRoster(at: now.advanced(by: .seconds(499))))
        #expect(reader.wantsRoster(at: now.advanced(by: .seconds(500))))
        reader.view.handle(.loaded(try Self.loaded([("Ola", -60, 60)])), at: now)
        #expect(reader.line(at: 0) == "on duty: Ola until 09:00")
    }

    @Test("the roster is loaded at the given interval, and with the key r")
    func refresh() throws {
        let reader = try Self.reader()
        reader.view.loadRoster(every: .seconds(60))
        #expect(reader.wantsRoster(at: .zero))
        reader.view.handle(.loaded(try Self.loaded([])), at: .zero)
        #expect(reader.wantsRoster(at: .zero.advanced(by: .seconds(60))))
        reader.view.handle(.loaded(try Self.loaded([])), at: .zero)
        #expect(!reader.wantsRoster(at: .zero))
        reader.press(.character("r"))
        #expect(reader.wantsRoster(at: .zero))
        #expect(reader.lines()[0] == "loading the roster…")
    }

    @Test(
        "the roster is not loaded for a recording or without a session",
        arguments: [Viewer.replaying, .unknown])
    func notNow(viewer: Viewer) throws {
        let reader = try Self.reader()
        reader.view.become(viewer)
        reader.perform(.refreshRoster)
        #expect(!reader.lines()[0].contains("loading the roster"))
    }

    @Test("times of the roster are local, across a change of daylight saving time")
    func clockChange() throws {
        // An hour east, and another from 09:30 UTC on.
        let change = Self.at(90)
        let reader = try Self.reader(
            ViewModel(
                account: "demo", eastOfUTC: { .seconds($0 < change ? 3_600 : 7_200) },
                random: SeededGenerator(seed: 1)))
        reader.view.handle(.loaded(try Self.loaded([("Kari", 0, 60), ("Ola", 60, 120)])), at: .zero)
        reader.perform(.toggleRoster)
        let shown = reader.lines()
        #expect(shown.contains("on duty: Kari until 10:00"))
        #expect(shown.contains("10:00 – 12:00  Ola"))
    }

    @Test("a roster without shifts in the shown time says that there are later ones")
    func farOff() throws {
        let reader = try Self.reader()
        let all = try Self.loaded([("Kari", 60, 120)])
        let none = LoadedRoster(account: all.account, roster: all.roster, plan: ShiftPlan([]), asOf: all.asOf)
        reader.view.handle(.loaded(none), at: .zero)
        reader.perform(.toggleRoster)
        #expect(reader.lines().contains("no shift starts within a month; `fleet roster` lists all"))
        reader.view.handle(.loaded(try Self.loaded([])), at: .zero)
        reader.view.statusSources.fleet = "sensibus"
        #expect(reader.lines().contains("no upcoming shifts; `sensibus roster import` adds shifts"))
    }

    @Test("the roster page shows the next shifts, and d opens and closes it")
    func page() throws {
        let reader = try Self.reader()
        reader.press(.character("d"))
        #expect(reader.lines().contains("loading…"))
        let shifts =
            [("Kari", -60, 60), ("Ola", 60, 120), ("per@example.com", 1_440, 1_500)]
            as [(String, Int64, Int64)]
        reader.view.handle(.loaded(try Self.loaded(shifts, message: "Mind\nthe step.")), at: .zero)
        let shown = reader.lines()
        #expect(shown[2] == "roster")
        #expect(
            Array(shown[3...12]) == [
                "Hotel", "Mind", "the step.", "on duty: Kari until 09:00",
                "as of 08:00; only owners and people on duty can switch devices", "", "upcoming",
                "09:00 – 10:00  Ola", "2027-01-16 08:00 – 2027-01-16 09:00  per@example.com", "",
            ])
        #expect(Key.character("t").intent(in: reader.view.focus) == nil)
        reader.press(.character("d"))
        #expect(reader.view.focus == .table)
        reader.press(.character("d"), .escape)
        #expect(reader.view.focus == .table)
    }

    @Test("a stored roster is read from its own line only")
    func file() throws {
        let roster = try Self.loaded(
            [("Kari \"K\"\u{202e}", -60, 60), ("kari@example.com", 60, 90)], message: "a\n\tb")
        #expect(LoadedRoster(json: roster.json) == roster)
        let broken = [String(roster.json.dropLast(2)), roster.json.replacing("demo", with: "D")]
        let times = [Int64.min, -1, .max].map {
            roster.json.replacing("\"atMs\":\(roster.asOf.unixMilliseconds)", with: "\"atMs\":\($0)")
        }
        #expect(!times.contains(roster.json))
        for text in ["", "{}", "null"] + broken + times {
            #expect(LoadedRoster(json: text) == nil)
        }
    }
}

extension ScreenReader {
    /// The roster line at a time.
    fileprivate func line(at minutes: Int64) -> String {
        driver.now = RosterTests.moment(minutes)
        return lines()[1]
    }
}
