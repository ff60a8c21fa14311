/// Why somebody may not switch devices where only people on duty, and owners, do.
public enum OffDuty: UInt8, Hashable, Sendable, CaseIterable {
    /// The account has no shifts.
    case noRoster
    /// Nobody is on duty now.
    case nobody
    /// Others are on duty.
    case others
}
