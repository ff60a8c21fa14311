import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Wording

/// `fleet logout`: ends a session.
struct LogoutCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "End the session of the commands, or all of yours.",
        discussion: """
            Without a controller the session is kept, so that it can still be ended.

            EXAMPLES
              fleet logout
              fleet logout --everywhere
            """)

    @Flag(help: "End every session of this user, the observer's and the page's too.")
    var everywhere = false

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let file = access.directory.sessionFile
        let words: String
        do {
            let ended = try await access.withSession { try await $0.logout(everywhere: everywhere) }
            words = "logged out; \(Count.of(ended, "session")) ended"
        } catch RuntimeError.noSession {
            surroundings.say("fleet: nobody is logged in here")
            return .done
        } catch FleetError.refused(.unauthenticated) {
            words = "the controller no longer knew the session; \(file) is removed"
        } catch let error as RuntimeError {
            guard case .damagedSession = error else { throw error }
            words = "the session could not be read; \(file) is removed"
        }
        try StoredSession.remove(at: file)
        surroundings.say("fleet: \(words)")
        return .done
    }
}
