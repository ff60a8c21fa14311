public import FleetProtocol

/// The roster of the account. After `noReply`, the caller may retry the same change, because changes are
/// idempotent.
extension ServiceClient {
    /// The maximum number of reads of a roster that changes while it is read.
    private static var readings: Int { 3 }

    /// Returns the roster, with shifts of one of its versions, chunk by chunk.
    ///
    /// Shifts that ended by `from`, and those that begin at `until` or later, are left out.
    public func roster(
        from: WallTime = WallTime(unixMilliseconds: 0), until: WallTime? = nil
    ) async throws(FleetError) -> (roster: Roster, plan: ShiftPlan) {
        for _ in 0..<Self.readings {
            var (shifts, cursor) = ([Shift](), UInt32(0))
            var first: Roster?
            while true {
                let pull = RosterPull(from: from, until: until, cursor: cursor)
                guard case .chunk(let chunk) = try await request(RosterRequest.read(pull)),
                    chunk.isLast || chunk.nextCursor > cursor
                else { throw .unexpectedReply }
                let roster = first ?? chunk.roster
                // The roster changed, so the shifts belong to two versions.
                guard chunk.roster.version == roster.version else { break }
                first = roster
                shifts += chunk.shifts
                guard shifts.count <= roster.shifts else { throw .unexpectedReply }
                cursor = chunk.nextCursor
                if chunk.isLast { return (roster, ShiftPlan(shifts)) }
            }
        }
        throw .refused(.busy(retryAfter: .seconds(1)))
    }

    /// Changes the heading of the roster unless the roster's version has changed.
    ///
    /// `base` is the version that the change is based on.
    ///
    /// - Returns: The roster as stored.
    /// - Throws: Also `refused` with `notAllowed` for users who are not owners, and `invalid` for another
    ///   version.
    public func changeRoster(
        from base: RosterVersion, to heading: RosterHeading
    ) async throws(FleetError) -> Roster {
        let reply = try await request(RosterRequest.change(from: base, to: heading))
        guard case .changed(let roster) = reply else { throw .unexpectedReply }
        return roster
    }

    /// Replaces all shifts in one step, unless the roster has another version by now.
    ///
    /// `base` is the version that the change is based on. Under the request ID the same shifts may be sent
    /// again.
    ///
    /// - Returns: The roster as stored, and some of its emails that belong to no user of the account.
    /// - Throws: As for a heading; `invalid` also for too many shifts.
    public func replaceShifts(
        _ shifts: [Shift], in timeZone: TimeZoneName, from base: RosterVersion, requestID: RequestID
    ) async throws(FleetError) -> (roster: Roster, strangers: [Email]) {
        var count = 0
        for part in Self.parts(of: shifts) {
            let reply = try await request(
                RosterRequest.stage(requestID, after: UInt32(clamping: count), part))
            guard case .staged = reply else { throw .unexpectedReply }
            count += part.count
        }
        let wanted = RosterImport(
            requestID: requestID, base: base, shifts: UInt32(clamping: count), timeZone: timeZone)
        let reply = try await request(RosterRequest.replace(wanted))
        guard case .replaced(let roster, let strangers) = reply else { throw .unexpectedReply }
        return (roster, strangers)
    }

    /// Splits shifts into as few messages as possible.
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
}
