import Runtime

/// The account that a controller makes for a local fleet.
enum DemoAccount {
    /// Who logs in to it.
    static let email = "demo@sensibus.local"

    /// Its password, which the controller left in the run directory; nil when it is not there.
    static func password(in directory: RunDirectory) -> String? {
        FileTail.lines(of: directory.demoPasswordFile).last
    }

    /// Tells its email and password.
    static func say(from directory: RunDirectory, in surroundings: Surroundings) {
        let file = directory.demoPasswordFile
        let words =
            password(in: directory).map { "password \($0) (kept in \(file))" }
            ?? "its password should be in \(file)"
        surroundings.say("fleet: demo account \(email), \(words)")
    }
}
