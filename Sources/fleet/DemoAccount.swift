import Runtime

/// The account that a controller makes for a local fleet.
enum DemoAccount {
    /// Who logs in to it.
    static let email = "demo@sensibus.local"

    /// Tells its email and password, which the controller left in the run directory.
    static func say(from directory: RunDirectory, in surroundings: Surroundings) {
        let file = directory.demoPasswordFile
        let password = FileTail.lines(of: file).last
        let words = password.map { "password \($0) (kept in \(file))" } ?? "its password should be in \(file)"
        surroundings.say("fleet: demo account \(email), \(words)")
    }
}
