import FleetProtocol
import FleetTime
import TestSupport
import Testing

@testable import ControllerCore

extension Bench {
    /// That many hours after the bench began.
    func hour(_ hours: Double) -> WallTime {
        WallTime(unixMilliseconds: 1_800_000_000_000 + Int64(hours * 3_600_000))
    }

    /// Somebody's shift between those hours; an address is its email, too.
    func shift(_ who: String, _ from: Double, _ to: Double) throws -> Shift {
        try Shift(who: who, email: Email(who), from: hour(from), to: hour(to))
    }

    /// Asks something about the roster.
    func askRoster(
        _ request: RosterRequest, token: TokenDigest? = Bench.token
    ) -> ClientReply.Body? {
        replies(to: ask(.roster(request), token: token)).last
    }

    /// The roster of whoever has that token; nil where they are told none.
    func roster(token: TokenDigest? = Bench.token) -> RosterChunk? {
        guard case .roster(.chunk(let chunk))? = askRoster(.read(RosterPull()), token: token)?.decoded else {
            return nil
        }
        return chunk
    }

    /// Has those shifts take the place of all that are there, as an owner does.
    @discardableResult
    func importShifts(
        _ shifts: [Shift], id: RequestID? = nil, token: TokenDigest? = Bench.token
    ) -> ClientReply.Body? {
        let id = id ?? newID()
        let base = roster(token: token)?.roster.version ?? .zero
        if !shifts.isEmpty { _ = askRoster(.stage(id, after: 0, shifts), token: token) }
        let wanted = RosterImport(
            requestID: id, base: base, shifts: UInt32(shifts.count), timeZone: .utc)
        return askRoster(.replace(wanted), token: token)
    }
}
