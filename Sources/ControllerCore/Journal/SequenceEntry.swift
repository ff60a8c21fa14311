public import FleetProtocol
public import Stepping

/// What the controller must not forget of sequences.
///
/// As a journal's entry, it is an effect that stands before every effect that depends on it.
public enum SequenceEntry: Sendable, Equatable {
    /// A sequence stands so from now on; it may be new.
    case stands(AccountID, SequenceReport)
    /// Sequences are forgotten; ids up to that time are too old from now on.
    case forgotten(AccountID, [RequestID], upTo: WallTime)
}
