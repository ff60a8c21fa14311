import FleetProtocol
import Stepping

/// A device's place in the directory; it never moves.
typealias DeviceSlot = Int

/// A device as the controller knows it: 128 bytes, small fields beside one another and last.
struct DeviceRecord: Sendable {
    let id: DeviceID
    var name: String
    var node: NodeSlot
    let account: AccountIndex
    /// The boot of the node, and its number, that last wrote this row.
    var boot: UInt32
    var number: ChangeNumber
    var reported: DeviceState
    var lastSequence: CommandSequence
    var connectedSince: WallTime
    /// When the controller heard of the state.
    var asOf: WallTime
    /// What its pod measured last; nil before it is heard of.
    var measurements: Measurements?
    /// When the controller heard of that.
    var measuredAt = WallTime(unixMilliseconds: 0)
    /// The lane's head: the request that is in flight.
    var current: RequestSlot?
    /// Its group in its account.
    var group = GroupNumber.none
    var isConnected: Bool
    /// What last changed its state.
    var cause = ChangeCause.request
    /// Its node no longer has it; the slot stays empty.
    var isRemoved = false
    /// Requests are about it, and no node has named it since our start: nobody is shown it.
    var isAwaited = false
}
