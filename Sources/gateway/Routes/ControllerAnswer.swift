import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import Wording

/// What the controller answers, as the page hears it.
enum ControllerAnswer {
    /// What the controller answers, or why it does not.
    ///
    /// - Parameter absence: What the page hears where the controller knows of no such thing.
    /// - Throws: `HTTPError` of status 401 where the session has ended, and of 503 where what was to be
    ///   changed may have been: the page asks again, under the same id.
    static func json(
        absence: String, _ work: () async throws(FleetError) -> JSONValue
    ) async throws -> Response {
        do throws(FleetError) {
            return Answer.json(try await work())
        } catch {
            switch error {
            case .refused(.unauthenticated): throw HTTPError(.unauthorized)
            case .refused(.notFound): return Answer.page(absence, status: .notFound)
            case .refused(.busy): throw HTTPError(.serviceUnavailable, message: error.pageWords)
            case .refused(.notAllowed), .refused(.offDuty):
                return Answer.page(error.pageWords, status: .forbidden)
            case .refused: return Answer.page(error.pageWords, status: .badRequest)
            case .noAnswer, .noController, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled,
                .transport:
                throw HTTPError(.serviceUnavailable, message: error.pageWords)
            }
        }
    }
}
