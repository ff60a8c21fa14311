public import Bus
import FoundationEssentials
import Glibc
import UserText

/// Where the sockets are.
///
/// They are files of the run directory, unless that lies so deep that their paths would be longer than a Unix
/// socket's address. Then whoever creates the run directory makes a short one, and leaves a symbolic link
/// to it: so every process finds the same, whatever its environment.
extension RunDirectory {
    private var socketLink: String { "\(path)/sockets" }

    /// Whether there is such a link, and something where it leads.
    private var isLinked: Bool { FileStatus(following: socketLink) != nil }

    /// Makes the directory, those of its logs and of devices' memory and, for a deep path, that of its
    /// sockets; checks what is there.
    ///
    /// The directory above must exist.
    ///
    /// - Parameter environment: `XDG_RUNTIME_DIR` is where sockets of a deep run directory go; `/tmp`
    ///   without.
    /// - Throws: As ``check()``, or `system` with the call that failed.
    public func create(environment: [String: String] = [:]) throws(RuntimeError) {
        try PrivateDirectory(path: path).create()
        try PrivateDirectory(path: logDirectory).create()
        try createMemoryDirectory()
        guard !socketsFit(in: path) else { return }
        let place = Self.socketPlace(environment)
        let name = "sensibus-\(geteuid())-\(Fingerprint.of(Array(path.utf8)))"
        let short = socketsFit(in: "\(place)/\(name)") ? "\(place)/\(name)" : "/tmp/\(name)"
        // The user's runtime directory goes when they log out, and what was linked there with it.
        if !isLinked { unlink(socketLink) }
        guard symlink(short, socketLink) == 0 || errno == EEXIST else {
            throw .lastError("link the directory of the sockets at", socketLink)
        }
        try PrivateDirectory(path: try linkedDirectory()).create()
    }

    /// The directory for short directories: that of the environment, where its own user runs this, or `/tmp`.
    private static func socketPlace(_ environment: [String: String]) -> String {
        guard let place = environment["XDG_RUNTIME_DIR"], place.hasPrefix("/") else { return "/tmp" }
        return FileStatus(following: place)?.owner == geteuid() ? place : "/tmp"
    }

    /// Where a socket binds, or is connected to.
    ///
    /// - Throws: `noFleet` for a deep path whose directory was never created; as ``check()`` when
    ///   the sockets' own directory cannot be trusted.
    public func endpoint(_ socket: FleetSocket) throws(RuntimeError) -> Endpoint {
        let directory = try socketDirectory()
        do {
            return try Endpoint.ipc(path: "\(directory)/\(socket.fileName)")
        } catch {
            throw .endpoint(error)
        }
    }

    /// Whether a socket's file is there: without it nobody is, and nobody needs to be waited for.
    ///
    /// A process that was killed leaves its file.
    ///
    /// - Throws: As ``endpoint(_:)``.
    public func hasFile(of socket: FleetSocket) throws(RuntimeError) -> Bool {
        FileStatus(of: "\(try socketDirectory())/\(socket.fileName)")?.isSocket == true
    }

    /// Removes the socket files that dead processes left, with the short directory where there is one.
    ///
    /// Only when no process of the fleet runs any more: a living one would never be reached again.
    ///
    /// - Throws: `system` with the file that cannot be removed.
    public func removeSockets() throws(RuntimeError) {
        guard socketsFit(in: path) || isLinked else { return }
        let directory = try socketDirectory()
        for socket in FleetSocket.allCases {
            let file = "\(directory)/\(socket.fileName)"
            guard FileStatus(of: file)?.isSocket == true else { continue }
            guard unlink(file) == 0 || errno == ENOENT else { throw .lastError("remove", file) }
        }
        guard directory != path else { return }
        guard rmdir(directory) == 0 || errno == ENOENT else { throw .lastError("remove", directory) }
        guard unlink(socketLink) == 0 || errno == ENOENT else { throw .lastError("remove", socketLink) }
    }

    private func socketDirectory() throws(RuntimeError) -> String {
        if socketsFit(in: path) { return path }
        let short = try linkedDirectory()
        try PrivateDirectory(path: short).check()
        return short
    }

    private func linkedDirectory() throws(RuntimeError) -> String {
        do {
            return try FileManager.default.destinationOfSymbolicLink(atPath: socketLink)
        } catch {
            throw .noFleet(searched: path)
        }
    }

    private func socketsFit(in directory: String) -> Bool {
        let longest = FleetSocket.allCases.map(\.fileName.utf8.count).max() ?? 0
        return directory.utf8.count + 1 + longest <= Endpoint.ipcPathLimitBytes
    }

}

/// The sockets of a fleet, each an ipc file of its run directory.
public enum FleetSocket: String, CaseIterable, Sendable {
    /// What nodes publish.
    case telemetry
    /// Commands to nodes and their answers.
    case devices
    /// Requests of users.
    case clients
    /// What observers hear.
    case stream
    /// Questions to the supervisor.
    case supervisor

    /// The name of its file.
    public var fileName: String { "\(rawValue).sock" }
}
