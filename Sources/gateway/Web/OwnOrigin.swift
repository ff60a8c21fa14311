import GatewayCore
import HTTPTypes
import Hummingbird

/// Refuses requests for a host name that is not the gateway's, and changes that a page of another origin
/// sends to a path that accepts a cookie.
struct OwnOrigin: RouterMiddleware {
    let hosts: AllowedHosts

    @concurrent
    func handle(
        _ request: Request, context: GatewayContext,
        next: @concurrent (Request, GatewayContext) async throws -> Response
    ) async throws -> Response {
        guard let authority = request.head.authority, hosts.allows(authority) else {
            throw HTTPError(
                .misdirectedRequest,
                message: "unknown name in Host. Use the gateway's address, or start it with --public-name.")
        }
        if ![.get, .head, .options].contains(request.method), !CrossOrigin.isShared(request.uri.path),
            isForeign(request, to: authority)
        {
            throw HTTPError(.forbidden, message: "the request comes from another page")
        }
        return try await next(request, context)
    }

    /// Whether a browser says that another page has sent it; programs say nothing.
    private func isForeign(_ request: Request, to authority: String) -> Bool {
        // `none` is a user who typed an address.
        if let site = request.headers[.fetchSite], site != "same-origin", site != "none" { return true }
        guard let origin = request.headers[.origin] else { return false }
        return origin != "http://\(authority)" && origin != "https://\(authority)"
    }
}

extension HTTPResponse.Status {
    fileprivate static var misdirectedRequest: HTTPResponse.Status {
        HTTPResponse.Status(code: 421, reasonPhrase: "Misdirected Request")
    }
}
