import GatewayCore
import HTTPTypes
import Hummingbird

/// How programs and the page are let in to what both read under one path: by a key where there is one, and else
/// by the page's cookie.
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
