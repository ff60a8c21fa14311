import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("The details beside the table")
struct DetailsPaneTests {
    private static func reader() throws -> ScreenReader {
        try ScreenReader(.whole((1...40).map { Fixture.row($0) }))
    }

    @Test("a wide screen has the details of the selected device beside the table, also of the next one")
    func follows() throws {
        let reader = try Self.reader()
        #expect(
            reader.panes()[0] == (
                "name                             state mode       presence    version change    room trend",
                "details"
            ))
        #expect(reader.panes()[1].details == "Bedroom 1")
        #expect(reader.panes()[2].details == "id        \(Fixture.device(1)) in node-1")
        reader.press(.down)
        #expect(reader.panes()[1].details == "Bedroom 2")
        reader.driver.receive(.reported(Fixture.device(2), Fixture.state(on: true, version: 2)))
        #expect(reader.panes()[3].details == "state     on")
        reader.press(.enter)
        #expect(reader.view.focus == .details)
        #expect(reader.panes()[1].table.hasPrefix("Bedroom 1 "), "the table stays")
        reader.press(.down, .escape)
        #expect(reader.view.focus == .table)
        #expect(reader.panes()[1].details == "Bedroom 3")
    }

    @Test("p hides the details beside the table, and then enter shows them in its place")
    func hidden() throws {
        let reader = try Self.reader()
        reader.press(.character("p"))
        #expect(reader.panes().isEmpty)
        #expect(reader.lines()[1].contains("trend"))
        reader.press(.enter)
        #expect(reader.lines()[1] == "details")
        #expect(reader.lines()[2] == "Bedroom 1")
        reader.press(.character("p"))
        #expect(
            reader.panes()[1] == (
                "Bedroom 1                        off   cool 22 °C online            1     0s", "Bedroom 1"
            ))
    }

    @Test("a screen of less than 120 columns has no details beside the table, and a page replaces both")
    func narrow() throws {
        let reader = try Self.reader()
        reader.width = 119
        #expect(reader.panes().isEmpty)
        reader.press(.enter)
        #expect(reader.lines()[1] == "details")
        reader.width = 120
        #expect(reader.panes()[1].details == "Bedroom 1")
        reader.press(.character("?"))
        #expect(reader.panes().isEmpty, "the help has the whole width")
    }

    @Test(
        "every line of a screen with details has its width", arguments: [119, 120, 131, 160, 240, 400], 1...30
    )
    func exact(width: Int, height: Int) throws {
        let reader = try Self.reader()
        (reader.width, reader.height) = (width, height)
        for keys in [[], [Key.enter], [.tab], [.character("p")]] as [[Key]] {
            for key in keys { reader.press(key) }
            #expect(reader.screen().count == height)
        }
    }

    @Test("details without room for all their lines are scrolled while they have the focus")
    func scrolled() throws {
        let reader = try Self.reader()
        reader.height = 16
        #expect(reader.panes()[0].details == "details  5 below: Tab Tab PgDn")
        reader.press(.tab, .tab, .pageDown)
        #expect(reader.panes()[0].details == "details")
        #expect(reader.panes().last?.details == "no events since the observer started")
        reader.press(.escape)
        #expect(reader.panes()[1].details == "Bedroom 1")
    }

    @Test("the details have timer, schedules, Climate React and filter, on as many lines as they need")
    func automation() throws {
        let reader = try Self.reader()
        #expect(reader.panes()[8].details == "automatic no timer, schedule or Climate React")
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: Fixture.start.wall.advanced(by: .seconds(3_600)))
        settings.climateReact = ClimateReact(
            low: nil, high: ClimateReact.Side(tenths: 260, change: ACStateChange(isOn: true)))
        settings.filter = FilterStatus(
            cleanedAt: nil, thresholdSeconds: 7_200, recordedSeconds: 3_600, recordedAt: Fixture.start.wall,
            secondsPerSecond: 2)
        reader.driver.receive(.settings(Fixture.device(1), settings))
        #expect(
            reader.panes()[8...10].map(\.details) == [
                "automatic Climate React: above 26.0 °C on", "          timer: off at 2026-01-31 13:00:01",
                "          filter: 1.0 h of 2.0 h run",
            ])
        reader.driver.now = reader.driver.now.advanced(by: .seconds(1_800))
        #expect(reader.panes()[10].details == "          filter: 2.0 h of 2.0 h run: clean it")
        reader.width = 120
        reader.driver.receive(.settings(Fixture.device(1), try Self.scheduled()))
        let lines = reader.panes().map(\.details)
        let first = try #require(lines.firstIndex { $0.hasPrefix("automatic ") })
        #expect(lines[first] == "automatic schedule AbCd1234: off at 22:15 every")
        #expect(lines[first + 1] == "          day (Europe/Oslo), disabled")
    }

    private static func scheduled() throws -> DeviceSettings {
        let plan = SchedulePlan(
            change: ACStateChange(isOn: false), time: try #require(LocalTime("22:15")), weekdays: .all,
            zone: try #require(TimeZoneName("Europe/Oslo")))
        var settings = DeviceSettings()
        settings.schedules = [
            DeviceSchedule(
                id: try #require(ScheduleID("AbCd1234")), plan: plan, isEnabled: false,
                createdAt: Fixture.start.wall, due: Fixture.start.wall, calendarDue: Fixture.start.wall)
        ]
        return settings
    }

    @Test("the details have the times of the last five applied toggles, the last first, and of nothing else")
    func toggles() throws {
        let reader = try Self.reader()
        #expect(reader.panes()[9].details == "toggles   none applied since the observer started")
        let applied = Outcome.applied(Fixture.state(on: true, version: 2))
        for (number, (outcome, command)) in [
            (applied, CommandKind.toggle), (applied, .toggle), (.expired, .toggle), (applied, .set),
        ].enumerated() {
            let report = try Fixture.report(
                outcome, of: command, device: Fixture.device(1), totalUs: UInt64(number + 1) * 1_000)
            reader.driver.receive(.outcome(report))
        }
        for event in reader.driver.observerEvents { reader.view.handle(event) }
        #expect(reader.panes()[9].details == "toggles   2.00 ms, 1.00 ms (last first)")
        for _ in 0..<6 {
            let report = try Fixture.report(applied, of: .toggle, device: Fixture.device(1), totalUs: 7_000)
            reader.driver.clear()
            reader.driver.receive(.outcome(report))
            for event in reader.driver.observerEvents { reader.view.handle(event) }
        }
        reader.width = 200
        let five = Array(repeating: "7.00 ms", count: 5).joined(separator: ", ")
        #expect(reader.panes()[9].details == "toggles   \(five) (last first)")
    }
}

@Suite("The posts in the details")
struct PostBoardTests {
    private static func post(_ number: UInt64, _ title: String, about subject: PostSubject?) throws -> Post {
        Post(
            number: PostNumber(number),
            author: Author(number: AuthorNumber(1), email: try #require(Email("kari@example.com"))),
            writtenAt: Fixture.start.wall.advanced(by: .seconds(-120)), title: title, body: "",
            subject: subject)
    }

    private static func texts(_ board: PostBoard, about number: Int) -> [String] {
        board.lines(about: Fixture.device(number), at: Fixture.start.wall).map(\.text)
    }

    @Test("a device has its newest three posts, with author and age, safe for a terminal")
    func posts() throws {
        var board = PostBoard()
        #expect(Self.texts(board, about: 1) == ["loading…"])
        let mine = PostSubject.device(Fixture.device(1), name: "an earlier name")
        var posts = try (0..<4).map { try Self.post(9 - $0, "note \($0)", about: mine) }
        posts.insert(try Self.post(10, "of another", about: .device(Fixture.device(2), name: "")), at: 0)
        posts.insert(try Self.post(11, "filter\u{1b}[2J", about: mine), at: 0)
        board.handle(.loaded(PostChunk(posts: posts, total: 6, isLast: true)), at: .zero)
        let shown = Self.texts(board, about: 1)
        #expect(shown.count == 3)
        #expect(shown[0].hasPrefix("filter") && shown[0].hasSuffix(" (kari@example.com, 2m ago)"))
        #expect(!shown[0].contains("\u{1b}"))
        #expect(shown[1] == "note 0 (kari@example.com, 2m ago)")
        #expect(Self.texts(board, about: 3) == ["no posts about this device"])
        board.handle(.loaded(PostChunk(posts: posts, total: 900, isLast: false)), at: .zero)
        #expect(Self.texts(board, about: 3) == ["none of the newest 6 posts about this device"])
    }

    @Test("posts stay when loading fails, with the reason once the retries have failed")
    func failed() throws {
        var board = PostBoard()
        var now = MonotonicTime.zero
        let claims = [board.claim(at: now), board.claim(at: now)]
        #expect(claims == [true, false])
        for _ in 0...LoadSchedule.retries.count {
            board.handle(.notLoaded(why: "the controller is restarting"), at: now)
            now = now.advanced(by: .seconds(20))
            let isDue = board.claim(at: now)
            #expect(isDue)
        }
        #expect(Self.texts(board, about: 1) == ["not loaded: the controller is restarting"])
        board.handle(.loaded(PostChunk(posts: [], total: 0, isLast: true)), at: now)
        #expect(Self.texts(board, about: 1) == ["no posts about this device"])
    }

    @Test("posts are loaded every 15 seconds while details are on the screen of a user")
    func schedule() throws {
        let reader = try ScreenReader(.whole())
        reader.width = 80
        _ = reader.lines()
        #expect(!reader.wantsPosts(at: reader.driver.now.monotonic))
        reader.press(.enter)
        _ = reader.lines()
        #expect(reader.wantsPosts(at: reader.driver.now.monotonic))
        #expect(!reader.wantsPosts(at: reader.driver.now.monotonic))
        let chunk = PostChunk(posts: [], total: 0, isLast: true)
        reader.view.handle(.loaded(chunk), at: reader.driver.now.monotonic)
        let due = reader.driver.now.monotonic.advanced(by: PostBoard.interval)
        #expect(!reader.wantsPosts(at: due.advanced(by: .milliseconds(-1))))
        #expect(reader.wantsPosts(at: due))
        reader.view.handle(.loaded(chunk), at: due)
        reader.view.become(.signedOut(advice: "run `fleet login`"))
        #expect(!reader.wantsPosts(at: due.advanced(by: .seconds(60))))
        #expect(reader.lines().contains("logbook   not logged in"))
    }
}
