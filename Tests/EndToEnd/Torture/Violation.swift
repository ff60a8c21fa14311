/// A promise that was broken.
struct Violation: Sendable, CustomStringConvertible {
    /// Which; docs/TESTING.md tells what each means.
    enum Promise: String, CaseIterable, Sendable {
        case appliedOnce = "an acknowledged toggle is in the device's memory exactly once"
        case usedOnce = "no request is carried out twice"
        case neverApplied = "what was cancelled, expired or refused never takes effect"
        case expected = "a toggle takes effect at the version that its client named, or not at all"
        case oneEnd = "every final answer about a request is the same, and stays"
        case order = "a device's changes are in one order, that of the answers too"
        case epochs = "nothing of a lower epoch takes effect after a higher one"
        case resolved = "what was unknown is resolved after healing"
        case shown = "what is shown is what devices are"
        case bounds = "memory, descriptors and the journal stay under their bounds"
        case recovery = "after the last fault everything is well again"
        case faults = "each fault of the plan strikes"
        case processes = "processes end, and refuse to start, as they should"
    }

    let promise: Promise
    let words: String

    var description: String { "\(promise.rawValue): \(words)" }
}
