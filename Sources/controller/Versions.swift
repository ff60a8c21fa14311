import Bus
import CSodium
import ProcessSupport
import UserText

/// The output of `controller --version`: the release, the wire contract and the libraries, one line each.
/// `fleet doctor` reads it.
enum Versions {
    static var text: String {
        [
            ProgramVersion.text(of: "controller"), "libzmq \(LibZMQ.version)",
            "libsodium \(String(cString: sodium_version_string()))", "SQLite \(Database.version)",
        ].joined(separator: "\n")
    }
}
