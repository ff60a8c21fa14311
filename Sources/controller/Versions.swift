import Bus
import CSodium
import GRDB
import ProcessSupport
import UserText

/// The output of `controller --version`: the release, the wire contract and the libraries, one line each.
///
/// `fleet doctor` reads it.
enum Versions {
    /// The lines, each with a name, a space and a version.
    static var text: String {
        [
            ProgramVersion.text(of: "controller"), "libzmq \(LibZMQ.version)",
            "libsodium \(String(cString: sodium_version_string()))", "SQLite \(sqlite)",
        ].joined(separator: "\n")
    }

    /// SQLite numbers its versions `major * 1,000,000 + minor * 1,000 + patch`.
    private static var sqlite: String {
        let number = Database.sqliteLibVersionNumber
        return "\(number / 1_000_000).\(number / 1_000 % 1_000).\(number % 1_000)"
    }
}
