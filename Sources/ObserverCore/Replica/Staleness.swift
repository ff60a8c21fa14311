/// Why what is shown may be out of date.
public enum Staleness: UInt8, CaseIterable, Hashable, Sendable {
    /// The first snapshot is not complete.
    case joining
    /// There is no connection to the controller.
    case disconnected
    /// Updates were lost.
    case gap
    /// Another controller, or the same one started anew, speaks.
    case otherEpoch
    /// No beat came for a second.
    case silence

    /// Its word in JSON.
    public var name: String { "\(self)" }

    /// Its words for people.
    public var words: String {
        switch self {
        case .joining: "the first snapshot is on its way"
        case .disconnected: "no connection to the controller"
        case .gap: "updates were lost"
        case .otherEpoch: "the controller was started anew"
        case .silence: "nothing heard for a second"
        }
    }
}
