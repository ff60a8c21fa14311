import FleetProtocol
import FoundationEssentials
import Glibc
import ProcessSupport

/// The sessions of a run directory: that of the last log-in, and those of the users who logged in before. The
/// last one is in `session.json`; the others are in the directory `sessions`, a file for each user. Only the
/// owner of the run directory can read them.
struct UserSessions: Sendable {
    /// The maximum number of sessions beside the last one; the oldest is removed.
    static let limit = 64

    let directory: RunDirectory

    private var others: RunDirectory { RunDirectory(path: "\(directory)/sessions") }

    /// Returns the file with the session of a user; without one, of the last log-in.
    func file(of user: Email?) throws(CommandFailure) -> String {
        guard let user, stored(in: directory.sessionFile)?.email != user else { return directory.sessionFile }
        let file = otherFile(of: user)
        guard stored(in: file)?.email == user else {
            let known = users.map(\.address).joined(separator: ", ")
            throw CommandFailure(
                .notPermitted, "no session of \(user) in \(directory)",
                advice: "run `fleet login \(user)`" + (known.isEmpty ? "" : "; logged in: \(known)"))
        }
        return file
    }

    var users: [Email] {
        ([stored(in: directory.sessionFile)] + names().map { stored(in: "\(others)/\($0)") })
            .compactMap { $0?.email }
    }

    /// Stores the session of a log-in, and keeps the last one if it is of another user.
    func store(_ session: StoredSession) throws(RuntimeError) {
        if let last = stored(in: directory.sessionFile), last.email != session.email {
            try others.makePrivate()
            try removeOldest()
            try last.write(to: otherFile(of: last.email))
        }
        try session.write(to: directory.sessionFile)
        try StoredSession.remove(at: otherFile(of: session.email))
    }

    /// Removes files until there is room for one more.
    private func removeOldest() throws(RuntimeError) {
        let files = names().map { "\(others)/\($0)" }
        let byAge = files.sorted { Self.changedAt($0) < Self.changedAt($1) }
        for file in byAge.dropLast(Self.limit - 1) { try StoredSession.remove(at: file) }
    }

    private static func changedAt(_ file: String) -> Int { FileStatus(of: file)?.changedAt ?? 0 }

    private func names() -> [String] {
        // Without the directory, no second user has logged in.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: others.path)) ?? []
        return names.filter { $0.hasSuffix(".json") }.sorted()
    }

    private func stored(in file: String) -> StoredSession? { try? StoredSession.read(from: file) }

    private func otherFile(of user: Email) -> String { "\(others)/\(PathHash.text(of: user.address)).json" }
}

/// A short file name for a text that may have any characters.
enum PathHash {
    /// Returns the hash (FNV-1a, 64 bits) in hexadecimal digits; the file has the text, which decides.
    static func text(of name: String) -> String {
        let hash = name.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01b3
        }
        return String(hash, radix: 16)
    }

    /// Whether a text can be a result of ``text(of:)``.
    static func isText(_ text: String) -> Bool {
        UInt64(text, radix: 16).map { String($0, radix: 16) == text } ?? false
    }
}
