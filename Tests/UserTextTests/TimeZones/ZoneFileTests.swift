import FleetProtocol
import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import UserFiles

@Suite("Files of time zones")
struct ZoneFileTests {
    /// 2026-01-01 and 2026-07-01, 00:00 UTC.
    private static let winter: Int64 = 1_767_225_600
    private static let summer: Int64 = 1_782_864_000

    private static func bytes(of name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)")))
    }

    private static func rule(_ text: String) -> ZoneRule? { ZoneRule(ArraySlice(text.utf8)) }

    @Test(
        "a rule has the offsets of winter and summer",
        arguments: [
            ("CET-1CEST,M3.5.0,M10.5.0/3", 3_600, 7_200), ("MST7", -25_200, -25_200),
            ("<+0330>-3:30", 12_600, 12_600), ("AEST-10AEDT,M10.1.0,M4.1.0/3", 39_600, 36_000),
            ("IST-1GMT0,M10.5.0,M3.5.0/1", 0, 3_600), ("IST-2IDT,M3.4.4/26,M10.5.0", 7_200, 10_800),
            ("XXX3EDT4,0/0,J365/23", -14_400, -14_400), ("AAA0BBB,J60,J300", 0, 3_600),
            ("AAA0BBB,59,299", 0, 3_600),
            ("AAA-0:00:30BBB-1:30:15,M1.1.0/-24,M1.2.0/+2:30:30", 30, 30),
        ])
    func rules(text: String, winter: Int64, summer: Int64) throws {
        let rule = try #require(Self.rule(text))
        #expect(rule.secondsEast(at: Self.winter) == winter)
        #expect(rule.secondsEast(at: Self.summer) == summer)
    }

    @Test("a change occurs at the second that the rule says, in leap years too")
    func changes() throws {
        // 1 March and 27 October, 02:00; 60 days after the new year, with and without 29 February.
        let common = try #require(Self.rule("AAA0BBB,J60,J300"))
        let counted = try #require(Self.rule("AAA0BBB,59,299"))
        let (march2026, march2028): (Int64, Int64) = (1_772_330_400, 1_835_488_800)
        for (rule, change) in [
            (common, march2026), (common, march2028), (counted, march2026), (counted, march2028 - 86_400),
        ] {
            #expect(rule.secondsEast(at: change - 1) == 0)
            #expect(rule.secondsEast(at: change) == 3_600)
        }
    }

    @Test(
        "malformed rules are refused",
        arguments: [
            "", "CET", "1", "CET-25", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "<+03-3",
            "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J300", "CET-1CEST,366,1",
            "CET-1CEST,M3.5.0/168,M10.5.0", "CET-1CEST,M3.5.0,M10.5.0,", "CET-1:60", "CET-1 ", "CET-00001",
        ])
    func others(text: String) { #expect(Self.rule(text) == nil) }

    @Test("a file that is cut anywhere, or has another beginning, is refused")
    func cut() throws {
        let whole = try Self.bytes(of: "Europe/Oslo")
        #expect(ZoneFile(whole) != nil)
        for count in whole.indices { #expect(ZoneFile(Array(whole[..<count])) == nil, "\(count)") }
        #expect(ZoneFile([UInt8(ascii: "P")] + whole.dropFirst()) == nil)
    }

    @Test("any change of a byte gives a zone or a refusal")
    func damaged() throws {
        let whole = try Self.bytes(of: "Europe/Oslo")
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            var bytes = whole
            bytes[Int.random(in: bytes.indices, using: &generator)] = .random(
                in: .min ... .max, using: &generator)
            let offset = ZoneFile(bytes)?.secondsEast(
                at: .random(in: -4_000_000_000...8_000_000_000, using: &generator))
            #expect((-90_000...93_600).contains(offset ?? 0))
        }
    }

    @Test("a file of version 1 has its changes, and after the last one its offset")
    func version1() throws {
        // Two types (+1 h, +2 h), and two changes, at 0 and 1000 s.
        var bytes = Array("TZif".utf8) + [UInt8](repeating: 0, count: 16)
        for count: UInt32 in [0, 0, 0, 2, 2, 4] { bytes += withUnsafeBytes(of: count.bigEndian, Array.init) }
        for time: Int32 in [0, 1_000] { bytes += withUnsafeBytes(of: time.bigEndian, Array.init) }
        bytes += [1, 0]
        for offset: Int32 in [3_600, 7_200] {
            bytes += withUnsafeBytes(of: offset.bigEndian, Array.init) + [0, 0]
        }
        bytes += Array("AAA\u{0}".utf8)
        let zone = try #require(ZoneFile(bytes))
        #expect(
            [-1, 0, 999, 1_000, 1 << 40].map(zone.secondsEast(at:)) == [3_600, 7_200, 7_200, 3_600, 3_600])
    }
}

@Suite("Zones of the IANA database")
struct ZoneDatabaseTests {
    private static let directory = "/usr/share/zoneinfo"
    private static let database = ZoneDatabase(directory: directory)

    /// Reads names and times, and prints the offsets that Python's own reader of these files finds.
    private static let python = """
        import sys, zoneinfo, datetime
        zoneinfo.reset_tzpath(to=[sys.argv[1]])
        for line in sys.stdin:
            zone, second = line.split()
            moment = datetime.datetime.fromtimestamp(int(second), zoneinfo.ZoneInfo(zone))
            print(int(moment.utcoffset().total_seconds()))
        """

    private static func offset(_ name: String, at second: Int64 = 0) -> Int64? {
        TimeZoneName(name).flatMap {
            database.secondsEast(in: $0, at: WallTime(unixMilliseconds: second * 1_000))
        }
    }

    @Test("each zone and link of the database has the offsets that Python reads, from 1901 to 2200")
    func asPython() async throws {
        let listed = try String(contentsOfFile: "\(Self.directory)/tzdata.zi", encoding: .utf8)
        let names = listed.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            // `Z NAME …` is a zone, `L TARGET NAME` a link.
            return words.first == "Z" ? String(words[1]) : words.first == "L" ? String(words[2]) : nil
        }.filter { $0 != "Factory" }
        #expect(names.count > 500)
        var generator = SeededGenerator(seed: 22)
        let asked = names.flatMap { name in
            (0..<40).map { _ in
                (name: name, second: Int64.random(in: -2_177_452_800...7_258_118_400, using: &generator))
            }
        }
        let lines = asked.map { "\($0.name) \($0.second)\n" }.joined()
        let result = try await run(
            .path("/usr/bin/python3"), arguments: ["-c", Self.python, Self.directory], input: .string(lines),
            output: .string(limit: 1 << 20), error: .string(limit: 4_096))
        let expected = result.standardOutput.split(separator: "\n").map { Int64($0) }
        try #require(expected.count == asked.count, "\(result.standardError)")
        let others = zip(asked, expected).filter { Self.offset($0.name, at: $0.second) != $1 }
        #expect(others.isEmpty, "\(others.prefix(5))")
    }

    @Test(
        "names outside the database are refused",
        arguments: [
            "BST", "AST", "IST", "CST", "PST", "UTC+2", "GMT+2", "Mars/Olympus", "europe/oslo", "Europe",
            "Europe/",
            "posix/Europe/Oslo", "right/Europe/Oslo", "localtime", "posixrules", "Factory", "zone1970",
        ])
    func unknown(name: String) throws {
        #expect(Self.offset(name) == nil)
        #expect(try !Self.database.has(#require(TimeZoneName(name))))
    }

    @Test("the three-letter zones and the fixed offsets that the database has are zones")
    func legacy() {
        #expect(Self.offset("EST") == -18_000)
        #expect(Self.offset("Etc/GMT+2") == -7_200)
        #expect(Self.offset("Asia/Kolkata") == 19_800)
        #expect(Self.offset("Asia/Calcutta") == 19_800)
    }

    @Test("without a database only UTC is known")
    func missing() throws {
        let database = ZoneDatabase(directory: "/nonexistent")
        #expect(!database.isInstalled)
        #expect(database.has(.utc))
        #expect(try !database.has(#require(TimeZoneName("Europe/Oslo"))))
    }

    @Test(
        "the zone of a machine is read from what TZ, the link of localtime and the file timezone can say",
        arguments: [
            ("Europe/Oslo", "Europe/Oslo"), (":Europe/Oslo", "Europe/Oslo"), ("Europe/Oslo\n", "Europe/Oslo"),
            ("/usr/share/zoneinfo/America/St_Johns", "America/St_Johns"),
            ("../usr/share/zoneinfo/Asia/Tokyo", "Asia/Tokyo"), ("CET-1CEST,M3.5.0,M10.5.0", nil), ("", nil),
        ])
    func ofMachine(text: String, zone: String?) {
        #expect(Self.database.zone(in: text)?.text == zone)
    }
}
