import FleetClient
import FleetProtocol
import Wording

extension ControllerAccess {
    /// Asks for something about one user.
    ///
    /// - Throws: `CommandFailure` when there is no such user in the account, and what the work throws.
    func aboutUser<Result: Sendable>(
        _ email: Email, _ work: @Sendable (FleetClient) async throws -> Result
    ) async throws -> Result {
        do {
            return try await withSession(work)
        } catch FleetError.refused(.notFound) {
            throw CommandFailure(
                .notPermitted, "no user \(SafeText.of(email.address)) in this account",
                advice: "`fleet user list` shows who there is")
        }
    }
}
