import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

@Suite("Rosters")
struct RosterTests {
    private let bench = Bench()

    private func changed(_ reply: ClientReply.Body?) -> Roster? {
        switch reply?.decoded {
        case .roster(.changed(let roster)), .roster(.replaced(let roster, _)): roster
        default: nil
        }
    }

    private func isInvalid(_ reply: ClientReply.Body?, _ text: String) -> Bool {
        if case .refusal(.invalid(let why))? = reply { why.contains(text) } else { false }
    }

    @Test("a roster that was never changed has neither heading nor shifts")
    func empty() throws {
        let chunk = try #require(bench.roster())
        #expect(chunk.roster == Roster(version: .zero, shifts: 0, isEnforced: false))
        #expect(chunk.shifts.isEmpty && chunk.isLast)
    }

    @Test("a roster's heading is stored before the reply, and survives a restart")
    func heading() throws {
        let heading = try RosterHeading(name: "Hotel", message: "The lift is out of order.")
        bench.effects = []
        let roster = try #require(changed(bench.askRoster(.change(from: .zero, to: heading))))
        #expect(roster.version == RosterVersion(1) && roster.heading == heading)
        let record = RosterRecord.roster(RosterVersion(1), heading, timeZone: .utc, lastImport: nil)
        #expect(bench.effects.first == .store(.service(ServiceRecord(record, of: .demo))))
        try bench.restart()
        #expect(bench.roster()?.roster == roster)
    }

    @Test("a repeated change of a roster has the same answer, and one from an older version is refused")
    func versions() throws {
        let first = try RosterHeading(name: "a", message: "")
        let second = try RosterHeading(name: "b", message: "")
        bench.askRoster(.change(from: .zero, to: first))
        bench.effects = []
        #expect(changed(bench.askRoster(.change(from: .zero, to: first)))?.version == RosterVersion(1))
        #expect(bench.recordChanges.isEmpty)
        #expect(isInvalid(bench.askRoster(.change(from: .zero, to: second)), "has changed"))
        #expect(bench.roster()?.roster.heading == first)
    }

    @Test("shifts are imported in several messages and replace the old ones at once")
    func imported() throws {
        let shifts = try (0..<6).map { try bench.shift("Person \($0)", Double($0), Double($0 + 1)) }
        bench.importShifts([try bench.shift("Somebody else", 0, 1)])
        let id = bench.newID()
        let parts = [(0, Array(shifts[3...])), (3, Array(shifts[..<3]))]
        for (after, part) in parts {
            let reply = bench.askRoster(.stage(id, after: UInt32(after), part))
            #expect(reply == .roster(.staged(shifts: UInt32(after + 3))))
            #expect(bench.roster()?.shifts.map(\.who) == ["Somebody else"])
        }
        bench.effects = []
        let zone = try #require(TimeZoneName("Europe/Oslo"))
        let wanted = RosterImport(requestID: id, base: RosterVersion(1), shifts: 6, timeZone: zone)
        let roster = try #require(changed(bench.askRoster(.replace(wanted))))
        #expect(roster.version == RosterVersion(2) && roster.timeZone == zone && roster.shifts == 6)
        let stored = try bench.recordChanges.map { try RosterRecord(wireBytes: $0.value ?? []) }
        #expect(
            stored == shifts.enumerated().map { .shift($1, place: UInt32($0)) } + [
                .roster(RosterVersion(2), .empty, timeZone: zone, lastImport: id)
            ])
        // A repeat gets the same answer, also after a restart of the controller.
        bench.effects = []
        #expect(changed(bench.askRoster(.replace(wanted))) == roster)
        #expect(bench.recordChanges.isEmpty)
        try bench.restart()
        #expect(changed(bench.askRoster(.replace(wanted))) == roster)
        #expect(bench.roster()?.shifts == shifts)
    }

    @Test("a repeat of staged shifts is accepted, and different ones are refused")
    func repeated() throws {
        let (id, shift) = (bench.newID(), try bench.shift("Kari", 0, 1))
        for _ in 0..<2 {
            #expect(bench.askRoster(.stage(id, after: 0, [shift])) == .roster(.staged(shifts: 1)))
        }
        let other = try bench.shift("Ola", 0, 1)
        #expect(bench.askRoster(.stage(id, after: 0, [other])) == .refusal(.idMismatch))
        #expect(isInvalid(bench.askRoster(.stage(id, after: 2, [other])), "import again"))
    }

    @Test("an import changes nothing if shifts are missing, another import's, or staged too long ago")
    func missing() throws {
        let shift = try bench.shift("Kari", 0, 1)
        func replace(_ id: RequestID, _ count: UInt32) -> ClientReply.Body? {
            bench.askRoster(.replace(RosterImport(requestID: id, base: .zero, shifts: count, timeZone: .utc)))
        }
        let id = bench.newID()
        bench.askRoster(.stage(id, after: 0, [shift]))
        #expect(isInvalid(replace(id, 2), "import is incomplete"))
        let later = bench.newID()
        bench.askRoster(.stage(later, after: 0, [shift]))
        #expect(isInvalid(replace(id, 1), "import is incomplete"))
        bench.pass(Limits.stagedFor + .seconds(2))
        #expect(isInvalid(replace(later, 1), "import is incomplete"))
        #expect(bench.recordChanges.isEmpty)
        #expect(bench.roster()?.roster.version == .zero)
    }

    @Test("an import lists emails that are not users of the account")
    func strangers() throws {
        let people = ["demo@sensibus.local", "eve@sensibus.local", "nobody@example.com", "The night watch"]
        let reply = bench.importShifts(try people.map { try bench.shift($0, 0, 1) })
        let strangers: [Email]? =
            if case .roster(.replaced(_, let strangers))? = reply?.decoded { strangers } else { nil }
        #expect(strangers?.map(\.address) == ["eve@sensibus.local", "nobody@example.com"])
    }

    @Test("a roster is sent in chunks within the message size, for the requested time")
    func chunks() throws {
        let bench = Bench.withDevices()
        let long = String(repeating: "w", count: Limits.nameBytes)
        let email = String(repeating: "w", count: Limits.emailBytes - 9) + "@test.com"
        let id = bench.newID()
        let shifts = try (0..<400).map { index in
            try Shift(
                who: long, email: Email(email), from: bench.hour(Double(index)),
                to: bench.hour(Double(index + 1)))
        }
        for start in stride(from: 0, to: 400, by: 20) {
            bench.askRoster(.stage(id, after: UInt32(start), Array(shifts[start..<start + 20])))
        }
        bench.askRoster(.replace(RosterImport(requestID: id, base: .zero, shifts: 400, timeZone: .utc)))
        var (read, cursor, isLast) = ([Shift](), UInt32(0), false)
        while !isLast {
            let chunk = try #require(bench.roster(RosterPull(cursor: cursor)))
            try #require(chunk.isLast || chunk.nextCursor > cursor)
            let message = ClientReply(correlation: .max, body: .roster(.chunk(chunk)))
            #expect(message.wireBytes.count <= Limits.chunkBytes)
            read += chunk.shifts
            (cursor, isLast) = (chunk.nextCursor, chunk.isLast)
        }
        #expect(read == shifts)
        let some = try #require(bench.roster(RosterPull(from: bench.hour(10), until: bench.hour(13))))
        #expect(some.shifts == Array(shifts[10..<13]) && some.isLast && some.roster.shifts == 400)
    }

    @Test("an import request of the largest size fits into a message")
    func largestRequest() throws {
        let shift = try bench.shift(String(repeating: "w", count: Limits.nameBytes), 0, 1)
        let count = min(Limits.stagedShifts, Limits.stagedShiftBytes / shift.bytesAtMost)
        let request = ClientRequest(
            correlation: .max, token: Token([UInt8](repeating: 255, count: Token.length)),
            body: .roster(.stage(bench.newID(), after: .max, Array(repeating: shift, count: count))))
        #expect(request.wireBytes.count <= Limits.messageBytes)
    }

    @Test("a roster is bounded by the number of shifts and by its size")
    func bounds() throws {
        var bounds = Rosters.Bounds()
        bounds.shifts = 3
        let rosters = Rosters(bounds: bounds)
        #expect(rosters.objection(toStaging: 3, of: 900, within: 1_000) == nil)
        #expect(rosters.objection(toStaging: 4, of: 900, within: 1_000) != nil)
        #expect(rosters.objection(toStaging: 3, of: 1_001, within: 1_000) != nil)
        let heading = try RosterHeading(name: "a", message: String(repeating: "w", count: 100))
        #expect(rosters.objection(to: heading, of: 0, within: heading.bytes) == nil)
        #expect(rosters.objection(to: heading, of: 0, within: 50) != nil)
    }

    @Test("a roster can be read but not changed while the storage is full")
    func full() throws {
        bench.step(.storage(isFull: true))
        let heading = try RosterHeading(name: "a", message: "")
        #expect(
            bench.askRoster(.change(from: .zero, to: heading))
                == .refusal(.storageFull(retryAfter: Limits.storageRetry)))
        #expect(bench.roster() != nil)
    }
}
