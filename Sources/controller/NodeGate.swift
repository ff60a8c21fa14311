import FleetProtocol
import Runtime

/// Reads what nodes say, and refuses a hello without the token of the node that it names.
///
/// Everything else that a node says counts for the connection and the boot of its hello alone.
struct NodeGate {
    let secret: NodeSecret

    /// The message of those bytes.
    ///
    /// - Throws: As `NodeMessage` does; `malformed` for a hello whose grant was not made with the secret.
    func message(wireBytes bytes: [UInt8]) throws(WireError) -> NodeMessage {
        let message = try NodeMessage(wireBytes: bytes)
        if case .hello(let node, let account, _, _, let grant) = message.body {
            guard let grant, secret.made(grant, for: node, of: account) else {
                throw .malformed("hello.grant", "the token of that node, account and range")
            }
        }
        return message
    }
}
