import GatewayCore
import HTTPTypes
import Hummingbird

/// Access to paths that both programs and the page read: by an API key if the request has one, otherwise by
/// the page's cookie.
struct AnyAccess: DeskAccess {
    let keys: KeyAccess
    let page: PageAccess

    func visitor(_ request: Request) async throws -> Access.Visitor {
        try await access(for: request).visitor(request)
    }

    func author(_ request: Request) async throws -> Access.Visitor {
        try await access(for: request).author(request)
    }

    private func access(for request: Request) -> any DeskAccess {
        let isKeyShown =
            FormFields(request.uri.query ?? "")["apiKey"] != nil || request.headers[.authorization] != nil
        return isKeyShown ? keys : page
    }
}
