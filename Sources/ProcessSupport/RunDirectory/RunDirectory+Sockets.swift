public import Bus
import FoundationEssentials
import Glibc
import UserText

/// The location of the sockets.
///
/// They are files of the run directory, unless their paths would be longer than a Unix socket's address. Then
/// the process that creates the run directory also creates a short directory, and a symbolic link to it, so
/// that every process finds the same one in any environment.
extension RunDirectory {
    private var socketLink: String { "\(path)/sockets" }

    /// Whether the link and its target exist.
    private var isLinked: Bool { FileStatus(following: socketLink) != nil }

    /// Creates the directory, those of its logs and of devices' memory and, for a long path, that of its
    /// sockets; checks existing ones.
    ///
    /// The directory above must exist.
    ///
    /// - Parameter environment: `XDG_RUNTIME_DIR` is the parent of the short directory; `/tmp` without it.
    /// - Throws: The errors of ``check()``, or `system` with the failed call.
    public func create(environment: [String: String] = [:]) throws(RuntimeError) {
        try PrivateDirectory(path: path).create()
        try PrivateDirectory(path: logDirectory).create()
        try createMemoryDirectory()
        guard !socketsFit(in: path) else { return }
        let place = Self.socketPlace(environment)
        let name = "sensibus-\(geteuid())-\(Fingerprint.of(Array(path.utf8)))"
        let short = socketsFit(in: "\(place)/\(name)") ? "\(place)/\(name)" : "/tmp/\(name)"
        // The user's runtime directory is deleted at log-out, and with it the target of the link.
        if !isLinked { unlink(socketLink) }
        guard symlink(short, socketLink) == 0 || errno == EEXIST else {
            throw .lastError("link the directory of the sockets at", socketLink)
        }
        try PrivateDirectory(path: try linkedDirectory()).create()
    }

    /// The parent of short directories: that of the environment if its owner runs this process, or `/tmp`.
    private static func socketPlace(_ environment: [String: String]) -> String {
        guard let place = environment["XDG_RUNTIME_DIR"], place.hasPrefix("/") else { return "/tmp" }
        return FileStatus(following: place)?.owner == geteuid() ? place : "/tmp"
    }

    /// Returns the endpoint of a socket.
    ///
    /// - Throws: `noFleet` for a long path without a short directory; the errors of ``check()`` if the
    ///   sockets' directory is not trusted.
    public func endpoint(_ socket: FleetSocket) throws(RuntimeError) -> Endpoint {
        let directory = try socketDirectory()
        do {
            return try Endpoint.ipc(path: "\(directory)/\(socket.fileName)")
        } catch {
            throw .endpoint(error)
        }
    }

    /// Returns whether a socket's file exists; without it no process serves the socket.
    ///
    /// A killed process leaves its file.
    ///
    /// - Throws: The errors of ``endpoint(_:)``.
    public func hasFile(of socket: FleetSocket) throws(RuntimeError) -> Bool {
        FileStatus(of: "\(try socketDirectory())/\(socket.fileName)")?.isSocket == true
    }

    /// Removes the socket files of dead processes, and the short directory if there is one.
    ///
    /// Call it only when no process of the fleet is running: a running one would become unreachable.
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
    /// Telemetry of nodes.
    case telemetry
    /// Commands to nodes and their results.
    case devices
    /// Requests of clients.
    case clients
    /// Updates for observers.
    case stream
    /// Requests to the supervisor.
    case supervisor
    /// The exchange of a join token for the rights of a key; only on the network.
    case join

    /// The name of the socket's file.
    public var fileName: String { "\(rawValue).sock" }
}
