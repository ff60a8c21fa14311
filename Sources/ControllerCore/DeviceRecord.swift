import FleetProtocol
import Stepping

/// A device's place in the directory; it never moves.
typealias DeviceSlot = Int

/// A device as the controller knows it.
struct DeviceRecord: Sendable {
    let id: DeviceID
    var name: String
    let account: AccountIndex
    var node: NodeSlot
    /// The boot of the node, and its number, that last wrote this row.
    var boot: UInt32
    var number: ChangeNumber
    var reported: DeviceState
    var lastSequence: CommandSequence
    var isConnected: Bool
    /// Its group in its account.
    var group = GroupNumber.none
    var connectedSince: WallTime
    /// When the controller heard of the state.
    var asOf: WallTime
    /// The lane's head: the request that is in flight.
    var current: RequestSlot?
    /// Its node no longer has it; the slot stays empty.
    var isRemoved = false
    /// Requests are about it, and no node has named it since our start: nobody is shown it.
    var isAwaited = false
}
