import Runtime
import Wording

/// The account that a controller makes for a local fleet.
enum DemoAccount {
    /// Who logs in to it.
    static let email = RunDirectory.demoEmail

    /// Whether a controller has left the account's password in the run directory.
    static func isThere(in directory: RunDirectory) -> Bool {
        do {
            return try directory.readDemoPassword() != nil
        } catch {
            return false
        }
    }

    /// Tells its email and password, which the controller left in the run directory.
    static func say(from directory: RunDirectory, in surroundings: Surroundings) {
        let file = directory.demoPasswordFile
        let words: String
        do throws(RuntimeError) {
            words =
                try directory.readDemoPassword().map { "password \(SafeText.of($0)) (kept in \(file))" }
                ?? "its password should be in \(file)"
        } catch {
            words = "its password is kept away: \(error)"
        }
        surroundings.say("fleet: demo account \(email), \(words)")
    }
}
