import ControllerCore
import FleetProtocol
import TestSupport
import Testing

@testable import controller

@Suite("Stored rosters")
struct StoredRostersTests {
    private let stored: StoredAccounts

    init() throws {
        stored = try StoredAccounts()
    }

    private func roster(of account: AccountID, version: UInt64, shifts count: Int) throws -> StoredRoster {
        var generator = SeededGenerator(seed: version)
        let email = try #require(Email("o'hara@example.com"))
        let shifts = try (0..<count).map { index in
            let from = StoredAccounts.now.advanced(by: .seconds(3_600 * index))
            let name = index.isMultiple(of: 2) ? "Zoë \"Z\" O'Hara" : email.address
            return try Shift(
                who: name, email: index % 3 == 0 && name != email.address ? nil : email, from: from,
                to: from.advanced(by: .seconds(3_600)))
        }
        return StoredRoster(
            account: account, version: RosterVersion(version),
            heading: try RosterHeading(name: "Hotel \(account)", message: "It's \"Monday\".\n"),
            timeZone: try #require(TimeZoneName("Europe/Oslo")),
            lastImport: RequestID(at: StoredAccounts.now, using: &generator), shifts: shifts)
    }

    @Test("rosters are in the store after it is opened again, unchanged and in order")
    func persisted() throws {
        let (mine, theirs) = (
            try roster(of: stored.demo, version: 4, shifts: 20),
            try roster(of: stored.other, version: 1, shifts: 0)
        )
        try stored.open().append([.roster(.replaced(theirs)), .roster(.replaced(mine))])
        #expect(try stored.open().rosters() == [mine, theirs])
    }

    @Test("a roster has only the shifts that were imported last")
    func replaced() throws {
        let newer = try roster(of: stored.demo, version: 5, shifts: 3)
        try stored.open().append([
            .roster(.replaced(try roster(of: stored.demo, version: 4, shifts: 20))),
            .roster(.replaced(newer)),
        ])
        #expect(try stored.open().rosters() == [newer])
    }

    @Test("a roster keeps its shifts when its heading changes")
    func headed() throws {
        let known = try roster(of: stored.demo, version: 4, shifts: 3)
        let heading = try RosterHeading(name: "", message: "Tuesday")
        try stored.open().append([
            .roster(.replaced(known)), .roster(.headed(stored.demo, RosterVersion(5), heading)),
            .roster(.headed(stored.other, RosterVersion(1), heading)),
        ])
        #expect(
            try stored.open().rosters() == [
                StoredRoster(
                    account: stored.demo, version: RosterVersion(5), heading: heading,
                    timeZone: known.timeZone,
                    lastImport: known.lastImport, shifts: known.shifts),
                StoredRoster(
                    account: stored.other, version: RosterVersion(1), heading: heading, timeZone: .utc,
                    lastImport: nil, shifts: []),
            ])
    }

    @Test("a batch of roster entries is not stored if another controller has the store")
    func fenced() throws {
        let old = try stored.open()
        _ = try stored.open()
        #expect(throws: StorageError.self) {
            try old.append([.roster(.replaced(try roster(of: stored.demo, version: 1, shifts: 1)))])
        }
        #expect(try stored.open().rosters().isEmpty)
    }
}
