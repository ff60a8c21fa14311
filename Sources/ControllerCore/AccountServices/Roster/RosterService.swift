import FleetProtocol

/// The rosters of all accounts: every user of an account can read, and its owners can change. A repeated
/// change gets the same reply. The shifts of an import are staged over several messages, and then replace the
/// plan at once.
struct RosterService: AccountService {
    private var rosters = Rosters()

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {
        let content = try RosterRecord(record)
        rosters[account].restore(content)
    }

    func hasData(of account: AccountIndex) -> Bool { rosters.has(account) }

    /// Removes staged shifts whose import stopped.
    mutating func expireStaged(at now: MonotonicTime) { rosters.expireStaged(at: now) }

    /// Why a user cannot switch devices now if only users on duty, and owners, can; nil if the user can.
    func objection(toDutyOf caller: Sessions.Entry, at now: WallTime) -> Refusal? {
        guard caller.session.role != .owner,
            !rosters.isOnDuty(caller.session.email, of: caller.account, at: now)
        else { return nil }
        return .offDuty(rosters[caller.account].absence(at: now))
    }

    mutating func handle(
        _ request: RosterRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<RosterReply> {
        let isEnforced = context.isOnDutyOnly
        if case .read(let pull) = request {
            return .reply(.chunk(chunk(pull, of: context.account, isEnforced: isEnforced)))
        }
        guard context.caller.session.role == .owner else {
            return .refusal(.notAllowed("only account owners can change the roster; ask one of them"))
        }
        if let refusal = context.storageRefusal { return .refusal(refusal) }
        switch request {
        case .read: preconditionFailure("reads are handled above")
        case .change(let base, let heading):
            if let refusal = change(base, heading, in: context, into: &output.changes) {
                return .refusal(refusal)
            }
            return .reply(.changed(roster(of: context.account, isEnforced: isEnforced)))
        case .stage(let id, let after, let shifts): return stage(id, after, shifts, in: context)
        case .replace(let wanted):
            if let refusal = replace(wanted, in: context, into: &output.changes) { return .refusal(refusal) }
            let named = Set(rosters[context.account].plan.shifts.compactMap(\.email))
            let strangers = named.filter { !context.isMember($0) }.sorted()
            return .reply(
                .replaced(
                    roster(of: context.account, isEnforced: isEnforced),
                    strangers: Array(strangers.prefix(Limits.namedStrangers))))
        }
    }

    // MARK: Reading

    private func roster(of account: AccountIndex, isEnforced: Bool) -> Roster {
        let table = rosters[account]
        return Roster(
            version: table.version, heading: table.heading, timeZone: table.timeZone,
            shifts: UInt32(table.plan.shifts.count), isEnforced: isEnforced)
    }

    private func chunk(_ pull: RosterPull, of account: AccountIndex, isEnforced: Bool) -> RosterChunk {
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
            roster: roster(of: account, isEnforced: isEnforced), shifts: found, nextCursor: UInt32(place),
            isLast: place >= end)
    }

    // MARK: Changing

    private static let outdated = Refusal.invalid("the roster has changed; read it again")
    private static let unstaged = Refusal.invalid(
        "the import is incomplete, or another import replaced it; import again")

    private mutating func change(
        _ base: RosterVersion, _ heading: RosterHeading, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) -> Refusal? {
        let table = rosters[context.account]
        if table.version == base.next, table.heading == heading { return nil }
        guard table.version == base else { return Self.outdated }
        let share = context.share(in: .rosters)
        if let reason = rosters.objection(to: heading, of: context.account, within: share) {
            return .invalid(reason)
        }
        rosters[context.account].head(heading)
        changes.store(rosters[context.account].record, of: context.accountID)
        return nil
    }

    private mutating func stage(
        _ id: RequestID, _ after: UInt32, _ shifts: [Shift], in context: ServiceContext
    ) -> ServiceResponse<RosterReply> {
        if let refusal = id.objection(at: context.now.wall) { return .refusal(refusal) }
        let former = rosters[context.account].staged
        let isSame = former?.requestID == id
        guard isSame || after == 0 else { return .refusal(Self.unstaged) }
        var staged = RosterTable.Staged(requestID: id, touchedAt: context.now.monotonic)
        if isSame, let former { staged.shifts = former.shifts }
        let (start, end) = (Int(after), Int(after) + shifts.count)
        guard start <= staged.shifts.count else { return .refusal(Self.unstaged) }
        if end <= staged.shifts.count {
            // A repeat of shifts that are already staged.
            guard Array(staged.shifts[start..<end]) == shifts else { return .refusal(.idMismatch) }
        } else {
            guard start == staged.shifts.count else { return .refusal(Self.unstaged) }
            staged.shifts += shifts
        }
        let share = context.share(in: .rosters)
        if let reason = rosters.objection(toStaging: staged.shifts.count, of: staged.bytes, within: share) {
            return .refusal(.invalid(reason))
        }
        rosters[context.account].staged = staged
        return .reply(.staged(shifts: UInt32(staged.shifts.count)))
    }

    private mutating func replace(
        _ wanted: RosterImport, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) -> Refusal? {
        let table = rosters[context.account]
        if table.lastImport == wanted.requestID { return nil }
        guard table.version == wanted.base else { return Self.outdated }
        var shifts: [Shift] = []
        if wanted.shifts > 0 {
            guard let staged = table.staged, staged.requestID == wanted.requestID,
                staged.shifts.count == wanted.shifts
            else { return Self.unstaged }
            shifts = staged.shifts
        }
        rosters[context.account].replace(shifts, in: wanted.timeZone, by: wanted.requestID)
        let now = rosters[context.account]
        for (place, shift) in now.plan.shifts.enumerated() {
            changes.store(RosterRecord.shift(shift, place: UInt32(place)), of: context.accountID)
        }
        for place in now.plan.shifts.count..<max(now.plan.shifts.count, table.plan.shifts.count) {
            changes.remove(RosterRecord.self, at: RosterRecord.key(ofShift: place), of: context.accountID)
        }
        changes.store(now.record, of: context.accountID)
        return nil
    }
}
