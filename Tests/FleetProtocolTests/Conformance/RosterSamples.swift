import Testing

@testable import FleetProtocol

extension Given {
    /// Of a person with a name and an email, of an email alone, and of a name alone.
    var shifts: [Shift] {
        let end = at.advanced(by: .seconds(3_600))
        let shifts = [
            try? Shift(who: "Kåre Nordmann", email: email, from: at, to: end),
            try? Shift(who: email.address, email: email, from: at, to: end),
            try? Shift(who: "The night watch", from: at, to: end),
        ]
        return shifts.compactMap(\.self)
    }

    var heading: RosterHeading {
        (try? RosterHeading(name: "Harbour Hotel", message: "The lift is out of order.\nUse the stairs."))
            ?? .empty
    }

    var rosters: [Roster] {
        [
            Roster(
                version: RosterVersion(3), heading: heading, timeZone: zone, shifts: 3, isEnforced: true),
            Roster(version: .zero, shifts: 0, isEnforced: false),
        ]
    }
}

extension RosterRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let requests: [(name: String, value: RosterRequest)] = [
            ("a roster", .read(RosterPull())),
            (
                "a roster of a time range, next chunk",
                .read(
                    RosterPull(
                        from: given.at, until: given.at.advanced(by: .seconds(3_600)), cursor: 400))
            ),
            ("change the heading of a roster", .change(from: RosterVersion(2), to: given.heading)),
            ("remove the heading of a roster", .change(from: RosterVersion(2), to: .empty)),
            ("stage shifts", .stage(given.requestID, after: 200, given.shifts)),
            (
                "import shifts",
                .replace(
                    RosterImport(
                        requestID: given.requestID, base: RosterVersion(2), shifts: 203, timeZone: given.zone)
                )
            ),
        ]
        return requests
    }
}

extension RosterReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let chunk = { (shifts: [Shift], isLast: Bool) in
            RosterChunk(roster: given.rosters[0], shifts: shifts, nextCursor: 3, isLast: isLast)
        }
        let replies: [(name: String, value: RosterReply)] = [
            ("roster", .chunk(chunk(given.shifts, false))), ("end of a roster", .chunk(chunk([], true))),
            (
                "empty roster",
                .chunk(RosterChunk(roster: given.rosters[1], shifts: [], nextCursor: 0, isLast: true))
            ),
            ("roster changed", .changed(given.rosters[0])), ("shifts staged", .staged(shifts: 203)),
            ("shifts imported", .replaced(given.rosters[0], strangers: [given.email])),
        ]
        return replies
    }
}

extension RosterRecord: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [
            (
                "a stored roster",
                .roster(RosterVersion(3), given.heading, timeZone: given.zone, lastImport: given.requestID)
            ),
            (
                "a stored roster without shifts",
                .roster(RosterVersion(1), .empty, timeZone: .utc, lastImport: nil)
            ),
        ]
            + given.shifts.enumerated().map {
                ("stored shift \($0 + 1)", .shift($1, place: UInt32($0)))
            }
    }
}
