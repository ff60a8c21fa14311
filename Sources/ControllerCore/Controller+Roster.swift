import FleetProtocol
import Stepping

/// The roster of an account: whoever is of it reads, and its owners change.
///
/// Each change is kept before its answer leaves, and a repeat of one gets the same answer. Shifts come in as
/// many messages as they need, and become the plan together or not at all.
extension Controller {
    mutating func heardRoster(
        _ request: RosterRequest, entry: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        let account = entry.account
        if case .read(let pull) = request {
            return reply(.roster(.chunk(rosterChunk(pull, of: account))), to: waiter, into: &effects)
        }
        if let refusal = objection(toRosterChangeBy: entry) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        let answer: ClientReply.Body =
            switch request {
            case .read: preconditionFailure("a reading was answered above")
            case .change(let base, let heading): change(base, heading, of: account, into: &effects)
            case .stage(let id, let after, let shifts): stage(id, after, shifts, of: account, at: now)
            case .replace(let wanted): replace(wanted, of: account, into: &effects)
            }
        reply(answer, to: waiter, into: &effects)
    }

    /// Why whoever has a session may not switch devices now, where only people on duty, and owners, do; nil
    /// where they may.
    func objection(toDutyOf entry: Sessions.Entry, at now: WallTime) -> Refusal? {
        guard entry.session.role != .owner,
            !rosters.isOnDuty(entry.session.email, of: entry.account, at: now)
        else { return nil }
        return .offDuty(rosters[entry.account].absence(at: now))
    }

    private func objection(toRosterChangeBy entry: Sessions.Entry) -> Refusal? {
        guard entry.session.role == .owner else {
            return .notAllowed("only owners of the account change its roster; ask one of them")
        }
        return isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil
    }

    // MARK: Reading

    private func roster(of account: AccountIndex) -> Roster {
        let table = rosters[account]
        return Roster(
            version: table.version, heading: table.heading, timeZone: table.timeZone,
            shifts: UInt32(table.plan.shifts.count), isEnforced: configuration.isOnDutyOnly)
    }

    private func rosterChunk(_ pull: RosterPull, of account: AccountIndex) -> RosterChunk {
        let shifts = rosters[account].plan.shifts
        let end = pull.until.flatMap { until in shifts.firstIndex { $0.from >= until } } ?? shifts.count
        var (place, found, room) = (Int(pull.cursor), [Shift](), Limits.chunkShiftBytes)
        while place < end {
            let shift = shifts[place]
            if shift.to > pull.from {
                guard shift.bytesAtMost <= room else { break }
                room -= shift.bytesAtMost
                found.append(shift)
            }
            place += 1
        }
        return RosterChunk(
            roster: roster(of: account), shifts: found, nextCursor: UInt32(place),
            isLast: place >= end)
    }

    // MARK: Changing

    private static let outdated = Refusal.invalid("the roster was changed meanwhile: look at it again")
    private static let unstaged = Refusal.invalid(
        "the shifts of this import are not all here, or were put away for another: import again")

    private mutating func change(
        _ base: RosterVersion, _ heading: RosterHeading, of account: AccountIndex, into effects: inout Effects
    ) -> ClientReply.Body {
        let table = rosters[account]
        if table.version == base.next, table.heading == heading {
            return .roster(.changed(roster(of: account)))
        }
        guard table.version == base else { return .refusal(Self.outdated) }
        let share = share(of: account, in: .rosters)
        if let reason = rosters.objection(to: heading, of: account, within: share) {
            return .refusal(.invalid(reason))
        }
        rosters.change(account) { $0.head(heading) }
        effects.store(.roster(.headed(directory.accounts[Int(account)].id, base.next, heading)))
        return .roster(.changed(roster(of: account)))
    }

    private mutating func stage(
        _ id: RequestID, _ after: UInt32, _ shifts: [Shift], of account: AccountIndex, at now: Moment
    ) -> ClientReply.Body {
        if let refusal = objection(toForm: id, at: now.wall) { return .refusal(refusal) }
        let former = rosters[account].staged
        let isSame = former?.requestID == id
        guard isSame || after == 0 else { return .refusal(Self.unstaged) }
        var staged = RosterTable.Staged(requestID: id, touchedAt: now.monotonic)
        if isSame, let former { staged.shifts = former.shifts }
        let (start, end) = (Int(after), Int(after) + shifts.count)
        guard start <= staged.shifts.count else { return .refusal(Self.unstaged) }
        if end <= staged.shifts.count {
            // A repeat of what came before.
            guard Array(staged.shifts[start..<end]) == shifts else { return .refusal(.idMismatch) }
        } else {
            guard start == staged.shifts.count else { return .refusal(Self.unstaged) }
            staged.shifts += shifts
        }
        let share = share(of: account, in: .rosters)
        if let reason = rosters.objection(
            toStaging: staged.shifts.count, of: staged.bytes, within: share)
        {
            return .refusal(.invalid(reason))
        }
        rosters.change(account) { $0.staged = staged }
        return .roster(.staged(shifts: UInt32(staged.shifts.count)))
    }

    private mutating func replace(
        _ wanted: RosterImport, of account: AccountIndex, into effects: inout Effects
    ) -> ClientReply.Body {
        let table = rosters[account]
        if table.lastImport == wanted.requestID { return replaced(account) }
        guard table.version == wanted.base else { return .refusal(Self.outdated) }
        var shifts: [Shift] = []
        if wanted.shifts > 0 {
            guard let staged = table.staged, staged.requestID == wanted.requestID,
                staged.shifts.count == wanted.shifts
            else { return .refusal(Self.unstaged) }
            shifts = staged.shifts
        }
        rosters.change(account) { $0.replace(shifts, in: wanted.timeZone, by: wanted.requestID) }
        let id = directory.accounts[Int(account)].id
        let now = rosters[account]
        effects.store(
            .roster(
                .replaced(
                    KeptRoster(
                        account: id, version: now.version, heading: now.heading, timeZone: now.timeZone,
                        lastImport: now.lastImport, shifts: now.plan.shifts))))
        return replaced(account)
    }

    /// What whoever has replaced the shifts is told; with emails in the plan by which nobody logs in.
    private func replaced(_ account: AccountIndex) -> ClientReply.Body {
        let id = directory.accounts[Int(account)].id
        let named = Set(rosters[account].plan.shifts.compactMap(\.email))
        let strangers = named.filter { users[$0]?.session.account != id }.sorted()
        return .roster(
            .replaced(roster(of: account), strangers: Array(strangers.prefix(Limits.namedStrangers))))
    }
}
