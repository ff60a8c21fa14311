import FleetProtocol
import Stepping

extension JSONWriter {
    /// A record of a change.
    mutating func change(_ change: StateChange, of model: ProductModel, now: WallTime) {
        object { json in
            json.member("id", change.id)
            json.member("time", second: change.at, now: now)
            json.details(of: change, model, now)
        }
    }

    /// What a record says beside its id and time.
    mutating func details(of change: StateChange, _ model: ProductModel, _ now: WallTime) {
        member("status", change.failure == nil ? "Success" : "Failed")
        member("reason", change.cause.reason)
        member("failureReason", change.failure?.rawValue)
        array("changedProperties") { json in
            guard let before = change.before else { return }
            let changed = change.after.changedProperties(since: before, by: model.capabilities)
            for property in changed { json.string(property.rawValue) }
        }
        key("acState")
        acState(change.after, of: model, at: (change.at, now))
        key("resultingAcState")
        acState(change.after, of: model, at: (change.at, now))
        member("resolveTime", second: change.at, now: now)
        if let user = change.user {
            object("causedByUser") { $0.user(user) }
        } else {
            member("causedByUser", nil)
        }
        member("causedByScheduleId", nil)
        member("causedByScheduleType", nil)
    }

    private mutating func user(_ email: Email) {
        member("username", email.address)
        member("email", email.address)
        member("firstName", "")
        member("lastName", "")
    }
}
