public import FleetProtocol
public import Stepping

/// The roster of the account that the credentials are of.
///
/// What changes it may be sent again as it is where nobody answered: a repeat changes nothing more.
extension FleetClient {
    /// How often a reading begins anew where somebody changes the roster meanwhile.
    private static let readings = 3

    /// The roster, with shifts of one of its versions, chunk by chunk, each with its own time to wait.
    ///
    /// - Parameters:
    ///   - from: Only shifts that end after that time.
    ///   - until: Only shifts that begin before that time; nil: however late.
    public func roster(
        from: WallTime = WallTime(unixMilliseconds: 0), until: WallTime? = nil,
        as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (roster: Roster, plan: ShiftPlan) {
        for _ in 0..<Self.readings {
            var (shifts, cursor) = ([Shift](), UInt32(0))
            var first: Roster?
            while true {
                let pull = RosterPull(from: from, until: until, cursor: cursor)
                guard
                    case .chunk(let chunk) = try await ask(.read(pull), as: credentials, patience: patience),
                    chunk.isLast || chunk.nextCursor > cursor
                else { throw .unexpectedReply }
                let roster = first ?? chunk.roster
                // What was changed meanwhile is read anew.
                guard chunk.roster.version == roster.version else { break }
                first = roster
                shifts += chunk.shifts
                cursor = chunk.nextCursor
                if chunk.isLast { return (roster, ShiftPlan(shifts)) }
            }
        }
        throw .refused(.busy(retryAfter: .seconds(1)))
    }

    /// Has another heading stand over the roster, if nobody else has changed it meanwhile.
    ///
    /// - Parameter base: The version of it that was looked at.
    /// - Returns: It, as it is kept.
    /// - Throws: Also `refused` with `notAllowed` for who is no owner, and `invalid` where it is at another
    ///   version.
    public func changeRoster(
        from base: RosterVersion, to heading: RosterHeading, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Roster {
        let reply = try await ask(.change(from: base, to: heading), as: credentials, patience: patience)
        guard case .changed(let roster) = reply else { throw .unexpectedReply }
        return roster
    }

    /// Has shifts take the place of all that are in the plan, if nobody else has changed the roster
    /// meanwhile: all of them at once, or none.
    ///
    /// - Parameters:
    ///   - requestID: The intention; the same shifts may come again under it.
    ///   - base: The version of the roster that was looked at.
    /// - Returns: The roster, as it is kept; and some of the emails in it by which nobody of the account logs
    ///   in.
    /// - Throws: As for a heading; `invalid` also where there is no room for so many.
    public func replaceShifts(
        _ shifts: [Shift], in timeZone: TimeZoneName, from base: RosterVersion, requestID: RequestID,
        as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (roster: Roster, strangers: [Email]) {
        var count = 0
        for part in Self.parts(of: shifts) {
            let request = RosterRequest.stage(requestID, after: UInt32(clamping: count), part)
            let reply = try await ask(request, as: credentials, patience: patience)
            guard case .staged = reply else { throw .unexpectedReply }
            count += part.count
        }
        let wanted = RosterImport(
            requestID: requestID, base: base, shifts: UInt32(clamping: count), timeZone: timeZone)
        let reply = try await ask(.replace(wanted), as: credentials, patience: patience)
        guard case .replaced(let roster, let strangers) = reply else { throw .unexpectedReply }
        return (roster, strangers)
    }

    /// Shifts in as few messages as hold them.
    static func parts(of shifts: [Shift]) -> [[Shift]] {
        var (parts, room) = ([[Shift]](), 0)
        for shift in shifts {
            let isFull = parts.last.map { $0.count == Limits.stagedShifts } ?? true
            if isFull || shift.bytesAtMost > room {
                parts.append([])
                room = Limits.stagedShiftBytes
            }
            parts[parts.count - 1].append(shift)
            room -= shift.bytesAtMost
        }
        return parts
    }

    private func ask(
        _ request: RosterRequest, as credentials: Credentials?, patience: Duration
    ) async throws(FleetError) -> RosterReply {
        let asker = if let credentials { credentials } else { try requireCredentials() }
        let reply = try await ask(.roster(request), as: asker, patience: patience)
        guard case .roster(let answer) = reply else { throw .unexpectedReply }
        return answer
    }
}
