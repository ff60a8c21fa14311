public import FleetProtocol

/// What a device decided, and the state that it decided on.
public struct Judgement: Hashable, Sendable {
    /// The word.
    public let verdict: Verdict
    /// The version after it.
    public let version: Version
    /// The state after it.
    public let state: ACState
}
