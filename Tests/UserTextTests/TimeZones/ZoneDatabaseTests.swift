import FleetProtocol
import Foundation
import Subprocess
import SystemPackage
import Testing

@testable import UserFiles

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
