import Hummingbird
import NIOCore

/// What a request brings besides itself.
struct GatewayContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of whoever is at the other end; nil where the system does not say.
    let address: String?
    /// Whose request it is, where ``KeyNeeded`` has found out.
    var visitor: Access.Visitor?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        address = source.channel.remoteAddress?.ipAddress
    }
}
