import FleetProtocol
import ProcessSupport
import Testing

@testable import UserFiles

@Suite("Shift files")
struct ShiftFileTests {
    private static func clock(_ zone: String = "Europe/Oslo") throws -> ZoneClock {
        let name = try #require(TimeZoneName(zone))
        return try #require(ZoneClock(name, in: Environment.timeZones))
    }

    private static func utc(_ text: String) throws -> WallTime {
        try ShiftTime(text).time(after: nil, by: try clock("UTC")) { _ in }
    }

    private static func read(_ text: String, in zone: String = "Europe/Oslo") throws -> ShiftFile {
        try ShiftFile(Array(text.utf8), by: try clock(zone))
    }

    private static func problems(_ text: String) throws -> [String] {
        do {
            _ = try read(text)
            return []
        } catch let error as ShiftFile.Unusable {
            return error.problems.map(\.description)
        }
    }

    @Test("people are named by name, email or both, and an end may be a time after midnight")
    func usual() throws {
        let file = try Self.read(
            """
            who,from,to
            Kari Nordmann <Kari@example.com>,2026-11-23 22:00,06:00
            ola@example.com,2026-11-24 06:00,14:00
            "The watch, by night",2026-11-24T14:00:00+01:00,2026-11-24T13:30Z
            Per,2026-11-25 08:00,08:00

            """)
        let kari = try Shift(
            who: "Kari Nordmann", email: Email("kari@example.com"), from: Self.utc("2026-11-23 21:00"),
            to: Self.utc("2026-11-24 05:00"))
        let ola = try Shift(
            who: "ola@example.com", email: Email("ola@example.com"), from: Self.utc("2026-11-24 05:00"),
            to: Self.utc("2026-11-24 13:00"))
        let watch = try Shift(
            who: "The watch, by night", from: Self.utc("2026-11-24 13:00"), to: Self.utc("2026-11-24 13:30"))
        let per = try Shift(who: "Per", from: Self.utc("2026-11-25 07:00"), to: Self.utc("2026-11-26 07:00"))
        #expect(file.shifts == [kari, ola, watch, per])
        #expect(file.notes.isEmpty)
    }

    @Test(
        "a shift file may have its columns in any order, other separators and other line ends",
        arguments: [
            "TO,who,From\n06:00,Kari,2026-11-23 22:00",
            "\u{feff}who;from;to\r\nKari;2026-11-23 22:00;06:00\r\n",
            "who\tfrom\tto\nKari\t2026-11-23 22:00\t06:00\n", "who,from,to\rKari,2026-11-23 22:00,06:00\r",
            " who , from , to \n\"Kari\" , \"2026-11-23 22:00\" , 06:00 \n",
            "who,from,to,,\nKari,2026-11-23 22:00,06:00,,\n",
            "\n\nwho,email,from,to\n\n Kari ,,2026-11-23 22:00,06:00\n  \n",
            "who,note,from,to\nKari,\"keys\r\nat the desk\",2026-11-23 22:00,06:00",
            "who,from,to\nKari,2026-11-23 22:00,06:00\n,,\n,,\n",
            "sep=;\r\nwho;from;to\r\nKari;2026-11-23 22:00;06:00\r\n",
            "Sep=|\nwho|from|to\nKari|2026-11-23 22:00|06:00",
            "\"who\";\"from\";\"to\";\"note, if any, or none, or\nmore\"\nKari;2026-11-23 22:00;06:00;a,b,c",
        ])
    func forms(text: String) throws {
        let shift = try Shift(
            who: "Kari", from: Self.utc("2026-11-23 21:00"), to: Self.utc("2026-11-24 05:00"))
        #expect(try Self.read(text).shifts == [shift])
    }

    @Test(
        "a quoted field may contain separators, quotes written twice and surrounding spaces",
        arguments: [
            ("\"O'Hara, \"\"Z\"\"\"", "O'Hara, \"Z\""), ("\"Ka;ri\" ", "Ka;ri"), (" \"Kari\"\t", "Kari"),
            ("\"\"\"\"", "\""), ("\"a\" \"b\"", "a\"b"), ("\"a\nb\"", "a\nb"),
            ("Ka\u{a0}ri\u{a0}", "Ka\u{a0}ri"), ("\u{feff}Kari", "Kari"),
        ])
    func quoted(field: String, who: String) {
        var records = CSVRecords(of: "\(field),\"\", to ")
        #expect(records.next() == CSVRecord(line: 1, fields: .success([who, "", "to"])))
        #expect(records.next() == nil)
    }

    @Test(
        "a shift's end is the next such local time, also in the hour that occurs twice",
        arguments: [
            ("2026-10-25T02:30+01:00", "02:45", "01:45"), ("2026-10-25 02:45", "02:15", "01:15"),
            ("2026-10-25 02:15", "02:45", "00:45"), ("2026-10-25T02:15+01:00", "03:00", "02:00"),
            ("2026-10-25 01:00", "02:30", "00:30"),
        ])
    func twice(from: String, to: String, expected: String) throws {
        let file = try Self.read("who,from,to\nKari,\(from),\(to)")
        #expect(try file.shifts.map(\.to) == [Self.utc("2026-10-25 \(expected)")])
    }

    @Test("unread columns and ambiguous times of a shift file are reported")
    func notes() throws {
        let file = try Self.read("who,note,from,to\nKari,x,2026-10-25 02:30,2026-10-25 04:00")
        #expect(file.notes.first == "ignored columns: note")
        #expect(file.notes.last?.hasPrefix("line 2: from: 2026-10-25 02:30 occurs twice") == true)
        #expect(file.notes.last?.contains("2026-10-25T01:30:00.000Z") == true)
        #expect(try file.shifts.first?.from == Self.utc("2026-10-25 00:30"))
        let once = try Self.read("who,from,to\nKari,2026-10-25T02:30+01:00,04:00")
        #expect(try once.shifts.first?.from == Self.utc("2026-10-25 01:30"))
        #expect(once.notes.isEmpty)
    }

    @Test(
        "each invalid line of a shift file is reported with its reason",
        arguments: [
            ("", "line 1: no heading"), ("\u{feff}\r\n", "line 1: no heading"),
            ("from,to\nx,y", "line 1: column 'who' is missing"),
            ("who,from,to,who\n", "line 1: column 'who' appears twice"),
            ("who,from,to\nKari,2026-11-23 22:00", "line 2: it has 2 fields, and the heading 3"),
            ("who,from,to\nKari,2026-11-23 22:00,06:00,x", "line 2: it has 4 fields, and the heading 3"),
            ("who,from,to\n\"Kari,2026-11-23 22:00,06:00", "line 2: a quote is not closed"),
            ("who,from,to\nKa\"\"ri,2026-11-23 22:00,06:00", "line 2: quotes must enclose a whole field"),
            ("who,from,to\n\"Ka\"ri,2026-11-23 22:00,06:00", "line 2: quotes must enclose a whole field"),
            ("who,from,to\nKa\u{2028}ri,2026-11-23 22:00,06:00", "line 2: who: it contains a line break"),
            ("who,from,to\n\n\"Ka\nri\",2026-11-23 22:00,06:00", "line 3: who: it contains a line break"),
            ("who,from,to\nKari,\"2026-11-23 22:00,06:00\nOla,x,y", "line 2: a quote is not closed"),
            ("who,from,to\n,2026-11-23 22:00,06:00", "line 2: who: it has no visible character"),
            ("who,from,to\nKari <kari>,2026-11-23 22:00,06:00", "line 2: 'kari' is not an email address"),
            ("who,email,from,to\nKari,kari,2026-11-23 22:00,06:00", "line 2: 'kari' is not an email address"),
            ("who,from,to\nKari,22:00,06:00", "line 2: from: 22:00 has no date"),
            ("who,from,to\nKari,23.11.2026 22:00,06:00", "line 2: from: '23.11.2026 22:00' is not a time"),
            ("who,from,to\nKari,2026-02-29 22:00,06:00", "line 2: from: '2026-02-29 22:00' is not a time"),
            ("who,from,to\nKari,2026-11-23 22:00,24:00", "line 2: to: '24:00' is not a time"),
            ("who,from,to\nKari,2026-11-23 22:00,2026-11-23 22:00", "line 2: to: a shift ends after"),
            ("who,from,to\nKari,2026-11-23 22:00,2026-11-23 21:00", "line 2: to: a shift ends after"),
            (
                "who,from,to\nKari,2026-03-29 02:30,06:00",
                "line 2: from: 2026-03-29 02:30 does not exist in Europe/Oslo, where clocks are set forward then; "
                    + "write 2026-03-29 03:30"
            ),
        ])
    func problem(text: String, what: String) throws {
        let problems = try Self.problems(text)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(what) == true, "\(problems)")
    }

    @Test("all invalid lines of a shift file are reported by line number")
    func several() throws {
        let problems = try Self.problems(
            "who,from,to\r\nKari,x,y\r\n\r\nOla,2026-11-23 22:00,06:00\r\nPer,,\r\n")
        #expect(problems.map { $0.prefix(7) } == ["line 2:", "line 5:"])
    }

    @Test("a shift file that is not UTF-8 is refused with the way to save it")
    func encoding() throws {
        let clock = try Self.clock()
        let error = #expect(throws: ShiftFile.Unusable.self) {
            try ShiftFile(Array("who,from,to\nK".utf8) + [0xe5], by: clock)
        }
        #expect(
            error?.problems.first?.description.hasPrefix("line 1: it is not UTF-8; save the file") == true)
    }

    @Test("a line number counts the line breaks in quotes")
    func lineNumbers() throws {
        let problems = try Self.problems("who,from,to,note\nKari,x,y,\"a\nb\"\nOla,z,y,\n")
        #expect(problems.map { $0.prefix(7) } == ["line 2:", "line 4:"])
    }

    @Test("a shift file may have as many shifts as a roster")
    func bound() throws {
        let line = "Kari,2026-11-23 22:00,06:00\n"
        let full = "who,from,to\n" + String(repeating: line, count: Limits.accountShifts)
        #expect(try Self.read(full).shifts.count == Limits.accountShifts)
        #expect(
            try Self.problems(full + line) == [
                "line 5002: a roster has 5000 shifts at most; remove the rest"
            ])
    }

    @Test(
        "a written shift file is read back as the same shifts, across daylight saving changes",
        arguments: ["Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])
    func roundTrip(zone: String) throws {
        let clock = try Self.clock(zone)
        let start = try Self.utc("2026-10-24 00:00")
        let shifts = try (0..<400).map { index in
            let from = start.advanced(by: .seconds(1_800 * index))
            let name = ["Kari", "O'Hara, \"Z\"", "=1+1", "Kari <x>", "k@example.com", "日本"][index % 6]
            let email = index % 4 == 0 || name.contains("@") ? Email("k@example.com") : nil
            return try Shift(
                who: name, email: email, from: from,
                to: from.advanced(by: .milliseconds(index % 7 == 0 ? 999 : 1_800_000)))
        }
        let text = ShiftFile.lines(of: shifts, by: clock).joined(separator: "\n")
        #expect(try Self.read(text, in: zone).shifts == shifts)
    }

    @Test("local times are unique except for an hour that occurs twice and an hour that is skipped")
    func clocks() throws {
        let oslo = try Self.clock()
        func reading(_ text: String) throws -> ZoneClock.Reading? {
            guard case .local(let local) = try ShiftTime(text) else { return nil }
            return oslo.reading(local)
        }
        #expect(try reading("2026-07-01 12:00") == .once(Self.utc("2026-07-01 10:00")))
        #expect(try reading("2026-03-29 01:59") == .once(Self.utc("2026-03-29 00:59")))
        #expect(try reading("2026-03-29 03:00") == .once(Self.utc("2026-03-29 01:00")))
        #expect(
            try reading("2026-10-25 02:00")
                == .twice(Self.utc("2026-10-25 00:00"), Self.utc("2026-10-25 01:00")))
        #expect(try reading("2026-10-25 03:00") == .once(Self.utc("2026-10-25 02:00")))
        guard case .local(let instead) = try ShiftTime("2026-03-29 03:00") else { return }
        #expect(try reading("2026-03-29 02:00") == .never(instead: instead))
    }

    @Test("an end without a date is the next such local time, also on a day of 23 hours")
    func nextTime() throws {
        let file = try Self.read("who,from,to\nKari,2026-03-28 22:00,06:00\nOla,2026-10-24 22:00,06:00")
        let hours = file.shifts.map { $0.from.duration(to: $0.to).wholeMilliseconds / 3_600_000 }
        #expect(hours == [7, 9])
    }
}
