public import FleetProtocol

/// Devices of one node.
public struct NodeDevices: Hashable, Sendable {
    /// Nodes that are remembered at most.
    public static let nodesAtMost = Directory.nodesAtMost
    /// Devices that are remembered at most, over all nodes.
    public static let devicesAtMost = Directory.devicesAtMost

    /// Whose node it is.
    public let account: AccountID
    /// The node's name, within its account.
    public let node: NodeName
    /// The devices, in no particular order.
    public var devices: [DeviceID]

    /// Those devices of that node.
    public init(account: AccountID, node: NodeName, devices: [DeviceID]) {
        self.account = account
        self.node = node
        self.devices = devices
    }
}
