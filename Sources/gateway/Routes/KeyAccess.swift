import FleetProtocol
import GatewayCore
import HTTPTypes
import Hummingbird

/// How programs are let in: by a key in `apiKey=`, or by what follows `Authorization: Bearer`.
///
/// No browser sends either by itself, so nothing has to show besides that the request is meant.
struct KeyAccess: DeskAccess {
    let access: Access

    func visitor(_ request: Request) async throws -> Access.Visitor {
        let shown = APICredentials(
            apiKey: FormFields(request.uri.query ?? "")["apiKey"],
            authorization: request.headers[.authorization])
        do throws(APIError) {
            return try await visitor(with: shown)
        } catch {
            throw HTTPError(HTTPResponse.Status(code: error.status), message: error.message)
        }
    }

    func author(_ request: Request) async throws -> Access.Visitor { try await visitor(request) }

    /// Whom credentials stand for.
    ///
    /// - Throws: What `credentials` have for a refusal, or `unavailable`.
    func visitor(with credentials: APICredentials) async throws(APIError) -> Access.Visitor {
        let token = try credentials.token()
        do throws(Access.Refused) {
            return try await access.visitor(with: token)
        } catch {
            switch error {
            case .unknown: throw credentials.refusal
            case .unavailable: throw .unavailable
            }
        }
    }
}
