import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

extension Bench {
    /// The time that many hours after the bench began.
    func hour(_ hours: Double) -> WallTime {
        Bench.start.advanced(by: .milliseconds(Int(hours * 3_600_000)))
    }

    /// A person's shift between those hours; an address is also its email.
    func shift(_ who: String, _ from: Double, _ to: Double) throws -> Shift {
        try Shift(who: who, email: Email(who), from: hour(from), to: hour(to))
    }

    @discardableResult
    func askRoster(_ request: RosterRequest, token: TokenDigest? = Bench.token) -> ClientReply.Body? {
        replies(to: ask(.roster(request), token: token)).last
    }

    /// The roster that the token's user gets; nil if refused.
    func roster(_ pull: RosterPull = RosterPull(), token: TokenDigest? = Bench.token) -> RosterChunk? {
        let reply = askRoster(.read(pull), token: token)
        return if case .roster(.chunk(let chunk))? = reply?.decoded { chunk } else { nil }
    }

    /// Replaces all shifts by those, as an owner does.
    @discardableResult
    func importShifts(
        _ shifts: [Shift], id: RequestID? = nil, token: TokenDigest? = Bench.token
    ) -> ClientReply.Body? {
        let id = id ?? newID()
        let base = roster(token: token)?.roster.version ?? .zero
        if !shifts.isEmpty { askRoster(.stage(id, after: 0, shifts), token: token) }
        let wanted = RosterImport(requestID: id, base: base, shifts: UInt32(shifts.count), timeZone: .utc)
        return askRoster(.replace(wanted), token: token)
    }
}
