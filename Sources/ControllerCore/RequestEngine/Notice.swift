import FleetProtocol

/// An event that account services react to.
enum Notice: Sendable {
    /// A node is lost with all its devices.
    case nodeLost(NodeRecord)
    case deviceRemoved(DeviceID, AccountIndex)
    /// The outcome of a request will never be known.
    case undetermined(UndeterminedRequest)
    /// The journal is that of an earlier time: requests of an account with IDs up to that time may be lost.
    case historyLost(AccountIndex, upTo: WallTime)
    /// A service's request has ended.
    case ended(RequestKey, Outcome)
}

/// An undetermined request, captured when it ended.
///
/// The same step may remove its device, which can reduce the account's share of storage.
struct UndeterminedRequest: Sendable {
    let key: RequestKey
    let user: Email
    let device: DeviceID
    let deviceName: String
    let reason: UndeterminedReason
    /// The bytes that the account's logbook may have.
    let logbookShare: Int
}

/// The purpose of a timer of the engine.
enum EngineTimer: Sendable {
    case request(RequestSlot)
    case cancelDue(RequestSlot)
    case lease(NodeSlot)
    case repair(NodeSlot)
    case boots(NodeSlot)
    case beat
    case second
    case orderDue(OrderID)
    case retirementsOver
}
