/// A promise that was broken.
struct Violation: Sendable, CustomStringConvertible {
    /// The promise; `Judge` and `TortureRun` judge it.
    enum Promise: String, CaseIterable, Sendable {
        case appliedOnce = "an acknowledged toggle is in the device's memory exactly once"
        case usedOnce = "no request is carried out twice"
        case neverApplied = "a cancelled, expired or refused request never takes effect"
        case expected = "a toggle takes effect at the version that its client named, or not at all"
        case oneEnd = "all final replies about a request are the same, and stay"
        case order = "a device's changes are in one order, that of the replies too"
        case epochs = "nothing of a lower epoch takes effect after a higher one"
        case resolved = "unknown outcomes are resolved after the recovery"
        case shown = "the shown state is the devices' state"
        case bounds = "memory, descriptors and the journal stay within their bounds"
        case recovery = "everything recovers after the last fault"
        case faults = "each fault of the plan occurs"
        case stale = "a controller that was replaced answers nothing more"
        case isolation = "a fault of a cell has no effect on others"
        case logIns = "users log in at any cell, and work in their own"
        case processes = "processes end, and refuse to start, as they should"
    }

    let promise: Promise
    let text: String

    var description: String { "\(promise.rawValue): \(text)" }
}
