import FleetProtocol
import FoundationEssentials
import UserText

/// The users on duty and the message of the day, as the screen shows them.
struct DutyBoard: Sendable {
    private(set) var known: LoadedRoster?
    /// Whether it was stored by an earlier observer, or the last reload failed.
    private var isOld = false
    /// The reason why the last load failed, sanitized; nil if it succeeded.
    private var error: String?
    var schedule = LoadSchedule()

    mutating func handle(_ event: RosterEvent, at now: MonotonicTime) {
        switch event {
        case .stored(let stored): if known == nil { (known, isOld) = (stored, true) }
        case .loaded(let loaded):
            (known, isOld, error) = (loaded, false, nil)
            schedule.succeed(at: now)
        case .failed(let why):
            guard schedule.fail(at: now) else { return }
            (error, isOld) = (SafeText.of(why), true)
        }
    }

    var hasLine: Bool {
        guard let known else { return error != nil }
        return error != nil || known.roster.shifts > 0 || !known.roster.heading.message.isEmpty
    }

    /// The line with the users on duty and the message of the day; nil if there are no shifts, no message and
    /// no error.
    func line(at now: WallTime, eastOfUTC: LocalOffset) -> ScreenLine? {
        guard hasLine else { return nil }
        var line = ScreenLine()
        if let known, known.roster.shifts > 0 { line = duty(known, at: now, eastOfUTC) }
        if let error {
            line.append(line.width > 0 ? "  " : "")
            line.append("could not load the roster: \(error)", .colored(.red))
        }
        if isOld, let known { line.append("  as of \(Self.text(known.asOf, at: now, eastOfUTC))", .dim) }
        let message = known.map { SafeText.of($0.roster.heading.message) } ?? ""
        if !message.isEmpty {
            line.append(line.width > 0 ? "  " : "")
            line.append(message, .colored(.cyan))
        }
        return line
    }

    func page(at now: WallTime, eastOfUTC: LocalOffset, fleet: String) -> [ScreenLine] {
        guard let known else {
            return [ScreenLine(error.map { "could not load the roster: \($0)" } ?? "loading…", .dim)]
        }
        let roster = known.roster
        var lines: [ScreenLine] = []
        if !roster.heading.name.isEmpty { lines.append(ScreenLine(SafeText.of(roster.heading.name), .bold)) }
        let message = roster.heading.message.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        lines += message.map { ScreenLine(SafeText.of(String($0)), .colored(.cyan)) }
        lines += [duty(known, at: now, eastOfUTC)]
        if let error { lines.append(ScreenLine("could not load the roster: \(error)", .colored(.red))) }
        let rule = roster.isEnforced ? "; only owners and people on duty can switch devices" : ""
        lines.append(ScreenLine("as of \(Self.text(known.asOf, at: now, eastOfUTC))\(rule)", .dim))
        let upcoming = known.plan.upcoming(after: now)
        lines += [ScreenLine(), ScreenLine(Self.heading(of: upcoming, in: roster, fleet), .bold)]
        return lines
            + upcoming.map { shift in
                let (from, to) = (
                    Self.text(shift.from, at: now, eastOfUTC), Self.text(shift.to, at: now, eastOfUTC)
                )
                var line = ScreenLine("\(from) – \(to)  ", .dim)
                line.append(shift.text)
                return line
            }
    }

    /// Returns the heading of the upcoming shifts; only those of the next month are loaded.
    private static func heading(of upcoming: ArraySlice<Shift>, in roster: Roster, _ fleet: String) -> String
    {
        guard upcoming.isEmpty else { return "upcoming" }
        return roster.shifts == 0
            ? "no upcoming shifts; `\(fleet) roster import` adds shifts"
            : "no shift starts within a month; `\(fleet) roster` lists all"
    }

    private func duty(_ known: LoadedRoster, at now: WallTime, _ eastOfUTC: LocalOffset) -> ScreenLine {
        let present = known.plan.onDuty(at: now)
        guard !present.isEmpty else {
            let until = known.plan.nextDuty(from: now).map { Self.text($0, at: now, eastOfUTC) }
            return ScreenLine("no one is on duty\(until.map { " until \($0)" } ?? "")", .colored(.yellow))
        }
        var line = ScreenLine("on duty: ", .dim)
        for (place, shift) in present.enumerated() {
            if place > 0 { line.append(", ") }
            line.append(SafeText.of(shift.who), .bold)
            line.append(" until \(Self.text(shift.to, at: now, eastOfUTC))")
        }
        return line
    }

    /// Formats a time to the minute, with the date unless it is today.
    private static func text(_ time: WallTime, at now: WallTime, _ eastOfUTC: LocalOffset) -> String {
        func text(_ time: WallTime) -> String {
            var bytes: [UInt8] = []
            TimeText.append(second: time.advanced(by: eastOfUTC(time)), to: &bytes)
            return String(decoding: bytes.prefix(16), as: UTF8.self).replacing("T", with: " ")
        }
        let (day, today) = (text(time).prefix(10), text(now).prefix(10))
        return day == today ? String(text(time).suffix(5)) : text(time)
    }
}

/// The roster of an account with its shifts at a point in time.
struct LoadedRoster: Hashable, Sendable {
    let account: AccountID
    let roster: Roster
    /// The shifts that had not ended.
    let plan: ShiftPlan
    let asOf: WallTime
}

extension LoadedRoster {
    private struct Stored: Decodable {
        struct Shift: Decodable {
            let who: String
            let email: String?
            let fromMs: Int64
            let toMs: Int64
        }

        let account: String
        let atMs: Int64
        let version: UInt64
        let name: String
        let message: String
        let timeZone: String
        let shiftCount: UInt32
        let isEnforced: Bool
        let shifts: [Shift]
    }

    /// Decodes a stored roster; nil if the text is not valid.
    init?(json: String) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json.utf8)),
            let account = AccountID(stored.account), let zone = TimeZoneName(stored.timeZone),
            stored.version <= Limits.largestOrdinal, FleetProtocol.Shift.times.contains(stored.atMs),
            stored.shifts.count <= Limits.accountShifts,
            let heading = try? RosterHeading(name: stored.name, message: stored.message)
        else { return nil }
        let shifts = stored.shifts.compactMap { shift in
            try? FleetProtocol.Shift(
                who: shift.who, email: shift.email.flatMap { Email($0) },
                from: WallTime(unixMilliseconds: shift.fromMs), to: WallTime(unixMilliseconds: shift.toMs))
        }
        self.init(
            account: account,
            roster: Roster(
                version: RosterVersion(stored.version), heading: heading, timeZone: zone,
                shifts: stored.shiftCount, isEnforced: stored.isEnforced),
            plan: ShiftPlan(shifts), asOf: WallTime(unixMilliseconds: stored.atMs))
    }

    /// The roster as a line of JSON, without a newline.
    var json: String {
        (["account": account.name] + roster.json(plan, at: asOf) + ["shifts": plan.shifts.map(\.json)]).line
    }
}

/// A change of the roster that the screen shows.
enum RosterEvent: Hashable, Sendable {
    /// The stored roster of an earlier time, before the first one is loaded.
    case stored(LoadedRoster)
    case loaded(LoadedRoster)
    case failed(why: String)
}
