import ArgumentParser
import FleetProtocol

/// Which fleet is observed, and as whom.
struct AccessOptions: ParsableArguments {
    @Option(help: "Insist that the session is of this account.", transform: Arguments.account(named:))
    var account: AccountID?

    @Option(
        help: "The fleet's run directory; else SENSIBUS_RUN_DIR, else .sensibus here or above.",
        completion: .directory)
    var runDir: String?

    @Option(
        help: "The session's file; else observer-session.json or session.json of the run directory.",
        completion: .file())
    var session: String?
}
