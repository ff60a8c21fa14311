public import FleetProtocol

/// What the controller must not forget of rosters.
///
/// As a journal's entry, it is an effect that stands before every effect that depends on it.
public enum RosterEntry: Sendable, Equatable {
    /// Another heading stands over the roster of an account, which may be new.
    case headed(AccountID, RosterVersion, RosterHeading)
    /// A roster is so from now on, with those shifts and no others.
    case replaced(KeptRoster)
}
