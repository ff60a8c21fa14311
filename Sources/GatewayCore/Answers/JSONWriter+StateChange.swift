import FleetProtocol
import Stepping

extension JSONWriter {
    /// A record of a change, with the keys that somebody asked for.
    ///
    /// - Parameter more: Writes further members of the record.
    mutating func change(
        _ change: StateChange, by capabilities: Capabilities, fields: RecordFields = .all, now: WallTime,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        object { json in
            if fields.contains("id") { json.member("id", change.id) }
            if fields.contains("time") { json.member("time", second: change.at, now: now) }
            json.details(of: change, by: capabilities, fields: fields, now)
            more(&json)
        }
    }

    /// What a record says beside its id and time.
    mutating func details(
        of change: StateChange, by capabilities: Capabilities, fields: RecordFields = .all,
        _ now: WallTime
    ) {
        func member(_ name: StaticString, _ text: String?) {
            if fields.contains(name) { self.member(name, text) }
        }
        member("status", change.shortfall?.status ?? "Success")
        member("reason", change.cause.reason)
        member("failureReason", change.shortfall.flatMap { $0.isFailure ? $0.rawValue : nil })
        if fields.contains("changedProperties") { changedProperties(of: change, by: capabilities) }
        for name: StaticString in ["acState", "resultingAcState"] where fields.contains(name) {
            key(name)
            acState(change.after, by: capabilities, at: (change.at, now))
        }
        if fields.contains("resolveTime") { self.member("resolveTime", second: change.at, now: now) }
        if fields.contains("causedByUser") { user(change.user) }
        member("causedByScheduleId", nil)
        member("causedByScheduleType", change.cause.scheduleType)
    }

    private mutating func changedProperties(of change: StateChange, by capabilities: Capabilities) {
        array("changedProperties") { json in
            guard let before = change.before else { return }
            let changed = change.after.changedProperties(since: before, by: capabilities)
            for property in changed { json.string(property.rawValue) }
        }
    }

    private mutating func user(_ email: Email?) {
        guard let email else { return member("causedByUser", nil) }
        object("causedByUser") { json in
            json.member("username", email.address)
            json.member("email", email.address)
            json.member("firstName", "")
            json.member("lastName", "")
        }
    }
}
