import ArgumentParser
import FleetProtocol
import Foundation
import ProcessSupport
import Synchronization
import TestSupport
import Testing
import UserText

@testable import fleet

@Suite("Roster commands", .timeLimit(.minutes(1)))
struct RosterCommandTests {
    private func roster(_ count: Int, version: UInt64 = 3, isEnforced: Bool = false) throws -> Roster {
        Roster(
            version: RosterVersion(version),
            heading: try RosterHeading(name: "Hotel\u{202e}", message: "Mind the step."),
            timeZone: try #require(TimeZoneName("Europe/Oslo")), shifts: UInt32(count),
            isEnforced: isEnforced)
    }

    /// Shifts of a hundred years ago, of now, and of the next hundred years.
    private func shifts() throws -> [Shift] {
        let times = [0, 3_600_000, 4_102_444_800_000, 4_102_448_400_000].map(WallTime.init(unixMilliseconds:))
        return [
            try Shift(who: "Eva", from: times[0], to: times[1]),
            try Shift(who: "Kari Nordmann", email: Email("kari@example.com"), from: times[1], to: times[2]),
            try Shift(who: "Ola", from: times[2], to: times[3]),
        ]
    }

    private func chunk(_ roster: Roster, _ shifts: [Shift]) -> ClientReply.Body {
        let cursor = UInt32(shifts.count)
        return .roster(.chunk(RosterChunk(roster: roster, shifts: shifts, nextCursor: cursor, isLast: true)))
    }

    @Test("the roster shows who is on duty, who is next, and how many shifts are hidden")
    func show() async throws {
        let (roster, shifts) = (try roster(3, isEnforced: true), try shifts())
        let output = try await ScriptedController.run(["roster"]) { body in
            guard case .roster(.read(let pull))? = body.decoded, pull.from.unixMilliseconds > 0 else {
                return nil
            }
            return chunk(roster, Array(shifts.dropFirst()))
        }
        #expect(
            Array(output.results.prefix(5)) == [
                "Hotel", "Mind the step.", "",
                "on duty now: Kari Nordmann <kari@example.com> until 2100-01-01 01:00",
                "next: Ola from 2100-01-01 01:00",
            ])
        #expect(output.results.last?.hasPrefix("Ola ") == true)
        #expect(output.talk.contains("2 shifts, times in Europe/Oslo; 1 past shift: use --all"))
        #expect(output.talk.contains("only owners and people on duty can switch devices"))
    }

    @Test("a roster without shifts advises to import some")
    func none() async throws {
        let roster = Roster(version: .zero, shifts: 0, isEnforced: false)
        let output = try await ScriptedController.run(["roster", "show"]) { _ in chunk(roster, []) }
        #expect(output.results == ["no one is on duty"])
        #expect(output.talk.contains("fleet roster import FILE"))
    }

    @Test("the roster is printed as JSON and as a file that can be imported")
    func formats() async throws {
        let (roster, shifts) = (try roster(3), try shifts())
        let reply = chunk(roster, shifts)
        let json = try await ScriptedController.run(["roster", "show", "--all", "--json"]) { _ in reply }
        #expect(json.results.count == 4)
        #expect(json.results[0].contains(#""version":3,"name":"Hotel\u202e","message":"Mind the step.""#))
        #expect(
            json.results[2].contains(#""who":"Kari Nordmann","email":"kari@example.com","fromMs":3600000"#))
        let csv = try await ScriptedController.run(["roster", "show", "--csv"]) { _ in reply }
        #expect(
            csv.results == [
                "who,email,from,to", "Eva,,1970-01-01 01:00,1970-01-01 02:00",
                "Kari Nordmann,kari@example.com,1970-01-01 02:00,2100-01-01 01:00",
                "Ola,,2100-01-01 01:00,2100-01-01 02:00",
            ])
    }

    private func file(_ text: String) throws -> (directory: TemporaryDirectory, path: String) {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/plan.csv"
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return (directory, path)
    }

    @Test("importing a file sends it whole and reports gaps, overlaps and unknown emails")
    func imported() async throws {
        let (directory, path) = try file(
            "who,from,to\nKari,2026-11-23 22:00,06:00\nnobody@example.com,2026-11-24 05:00,09:00\n"
                + "Ola,2026-11-24 10:00,11:00\n")
        defer { withExtendedLifetime(directory) {} }
        let (old, new) = (try roster(1), try roster(3, version: 4))
        let sent = Mutex<[RosterRequest]>([])
        let output = try await ScriptedController.run(["roster", "import", path]) { body in
            guard case .roster(let request)? = body.decoded else { return nil }
            // A request whose answer is late is sent again.
            sent.withLock { if $0.last != request { $0.append(request) } }
            switch request {
            case .read: return chunk(old, [])
            case .stage(_, _, let shifts): return .roster(.staged(shifts: UInt32(shifts.count)))
            case .replace:
                return .roster(.replaced(new, strangers: [valid(Email("nobody@example.com"))]))
            case .change: return nil
            }
        }
        let requests = sent.withLock { $0 }
        guard case .stage(let id, after: 0, let shifts) = requests[1], case .replace(let wanted) = requests[2]
        else {
            Issue.record("unexpected requests: \(requests)")
            return
        }
        #expect(shifts.map(\.who) == ["Kari", "nobody@example.com", "Ola"])
        #expect(shifts[0].from.unixMilliseconds == 1_795_467_600_000)
        #expect(
            wanted == RosterImport(requestID: id, base: RosterVersion(3), shifts: 3, timeZone: old.timeZone))
        #expect(
            output.results == [
                "3 shifts imported, from 2026-11-23 22:00 to 2026-11-24 11:00 (Europe/Oslo), version 4"
            ])
        #expect(output.talk.contains("no one is on duty from 2026-11-24 09:00 to 2026-11-24 10:00"))
        #expect(output.talk.contains("several people are on duty from 2026-11-24 05:00 to 2026-11-24 06:00"))
        #expect(output.talk.contains("no user nobody@example.com yet"))
    }

    @Test(
        "nothing is imported if a line is invalid, the file has no shift, or --dry-run is given",
        arguments: [
            ("who,from,to\nKari,x,y\nOla,2026-11-23 22:00,06:00\nPer,\n", [], "from: 'x' is not a time"),
            ("who,from,to\nKari,x,y\nOla,2026-11-23 22:00,06:00\nPer,\n", [], "line 4: it has 2 fields"),
            ("who,from,to\n", [], "--allow-empty"),
            ("who,from,to\nKari,2026-11-23 22:00,06:00\n", ["--time-zone", "Nowhere"], "no time zone"),
            ("who,from,to\nKari,2026-11-23 22:00,06:00\n", ["--dry-run"], ""),
        ] as [(String, [String], String)])
    func nothing(text: String, options: [String], expected: String) async throws {
        let (directory, path) = try file(text)
        defer { withExtendedLifetime(directory) {} }
        let roster = try roster(1)
        let others = Mutex(0)
        let line = ["roster", "import", path] + options
        let status: fleet.ExitStatus = expected.isEmpty ? .done : .usage
        let output = try await ScriptedController.run(line, status: status) { body in
            if case .roster(.read)? = body.decoded { return chunk(roster, []) }
            others.withLock { $0 += 1 }
            return nil
        }
        #expect(others.withLock { $0 } == 0)
        #expect(output.talk.contains(expected) || expected.isEmpty)
        if expected.isEmpty {
            #expect(output.results.first?.hasPrefix("1 shift would be imported, from") == true)
        }
    }

    @Test("a change of the roster's heading keeps the parts that are not named")
    func set() async throws {
        let roster = try roster(1)
        let sent = Mutex<RosterRequest?>(nil)
        try await ScriptedController.run(["roster", "set", "--message", ""]) { body in
            guard case .roster(let request)? = body.decoded else { return nil }
            if case .read = request { return chunk(roster, []) }
            sent.withLock { $0 = request }
            return .roster(.changed(roster))
        }
        let heading = try RosterHeading(name: roster.heading.name, message: "")
        #expect(sent.withLock { $0 } == .change(from: RosterVersion(3), to: heading))
    }

    @Test("a shift file that cannot be read is named")
    func unreadable() async throws {
        let line = ["roster", "import", "/nowhere/plan.csv"]
        let output = try await ScriptedController.run(line, status: .usage) { _ in nil }
        #expect(output.talk.contains("/nowhere/plan.csv: no such file"))
    }

    @Test("the refusal of an off-duty user's toggle has its reason and advice", arguments: OffDuty.allCases)
    func offDuty(reason: OffDuty) {
        let refusal = Refusal.offDuty(reason)
        #expect(fleet.ExitStatus(refusal) == .notPermitted)
        #expect(refusal.explanation.contains("(offDuty)") && refusal.explanation.contains("`fleet roster`"))
        #expect(refusal.name == "offDuty")
    }
}
