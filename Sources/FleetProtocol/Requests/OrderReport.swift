/// What the nodes of an account have made of an operator's order.
public struct OrderReport: Hashable, Sendable {
    /// Devices that it concerned.
    public var devices: UInt32
    /// Nodes that have carried it out.
    public var nodes: UInt32
    /// Nodes that have not answered in time: they may have carried it out or not.
    public var silentNodes: UInt32
    /// Nodes that could not carry it out, and go on as before: they cannot read a scenario, or devices that
    /// are to go are not their last.
    public var refusingNodes: UInt32
    /// Of those that carried it out, nodes whose devices are not the scenario's.
    public var keptPopulations: UInt32

    /// The report of those numbers.
    public init(
        devices: UInt32 = 0, nodes: UInt32 = 0, silentNodes: UInt32 = 0, refusingNodes: UInt32 = 0,
        keptPopulations: UInt32 = 0
    ) {
        self.devices = devices
        self.nodes = nodes
        self.silentNodes = silentNodes
        self.refusingNodes = refusingNodes
        self.keptPopulations = keptPopulations
    }
}
