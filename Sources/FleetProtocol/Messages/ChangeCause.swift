/// What made a device change: who asked is in the outcome of the request, if it was one.
///
/// Sensibo names the same things in the `reason` of a change: `UserRequest`, `StateCorrectionByUser`,
/// `ExternalIrCommand`, `Trigger`, `Scheduler`.
public enum ChangeCause: UInt8, CaseIterable, Hashable, Sendable {
    /// A request that was carried out; and what nobody has said anything else of.
    case request
    /// A request that only said what is: no signal was sent.
    case correction
    /// Somebody with the hand remote.
    case handRemote
    /// Somebody with the app, which is not one of our clients.
    case app
    /// Climate React, because of what the pod measured.
    case climateReact
    /// A timer that has run out.
    case timer
    /// A schedule whose time has come.
    case schedule

    /// Its word in documents and JSON.
    public var name: String { "\(self)" }
}
