/// What a node has to say of an order, besides that it has carried it out.
public enum OrderRemark: UInt8, CaseIterable, Hashable, Sendable {
    /// It was not carried out: the scenario cannot be read.
    case unreadable
    /// The scenario has other devices than the node was started with; they stay as they are.
    case populationKept
    /// It was not carried out: the devices are not the node's last.
    case notLast
}
