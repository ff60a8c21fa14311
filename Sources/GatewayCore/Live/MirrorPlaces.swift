public import FleetProtocol
public import Stepping

/// Which accounts a gateway mirrors, and which one goes for another.
///
/// Sign-up makes accounts for anyone who asks. So accounts without devices, whose mirrors are small, have
/// places of their own: they take none of an account that has devices.
public struct MirrorPlaces: Sendable {
    /// An account that is mirrored.
    public struct Place: Sendable {
        /// Whose mirror it is.
        public let account: AccountID
        /// When it was needed last.
        public let usedAt: MonotonicTime
        /// Whether it has listeners.
        public let isListenedTo: Bool
        /// Whether it has ever had devices.
        public let hasDevices: Bool

        /// The place of those values.
        public init(account: AccountID, usedAt: MonotonicTime, isListenedTo: Bool, hasDevices: Bool) {
            self.account = account
            self.usedAt = usedAt
            self.isListenedTo = isListenedTo
            self.hasDevices = hasDevices
        }
    }

    /// Whether there is room for another account.
    public enum Room: Equatable, Sendable {
        case free
        /// These go first.
        case insteadOf([AccountID])
        /// All places are needed.
        case none
    }

    /// Accounts with devices that are mirrored at a time; a local fleet has one.
    public static let withDevices = 64
    /// Accounts without devices.
    public static let withoutDevices = 256
    /// An account with devices that was needed within this time keeps its mirror: longer than clients wait
    /// from question to question.
    public static let restAtLeast: Duration = .seconds(60)

    /// Whether there is room for an account whose devices, if it has any, are not known yet.
    ///
    /// Where too many have none, one of these goes: one without listeners first, and of several the one that
    /// was needed longest ago.
    public static func room(among places: [Place], at now: MonotonicTime) -> Room {
        var gone: [AccountID] = []
        let large = places.filter(\.hasDevices)
        if large.count >= withDevices {
            let rested = large.filter {
                $0.usedAt.duration(to: now) >= restAtLeast && !$0.isListenedTo
            }
            guard let oldest = rested.min(by: { $0.usedAt < $1.usedAt }) else { return .none }
            gone.append(oldest.account)
        }
        let small = places.filter { !$0.hasDevices }
        if small.count >= withoutDevices {
            let idle = small.filter { !$0.isListenedTo }
            let oldest = (idle.isEmpty ? small : idle).min { $0.usedAt < $1.usedAt }
            if let oldest { gone.append(oldest.account) }
        }
        return gone.isEmpty ? .free : .insteadOf(gone)
    }
}
