public import Bus
import Glibc

/// The sockets: files of the run directory. The address of a Unix socket has a limit of 107 bytes. A longer
/// path is shortened: it begins at an open directory of this process, under `/proc/self/fd`. So no file leads
/// from a run directory to its sockets, which a copy of the directory would have, too.
extension RunDirectory {
    /// Creates the directory, and those of its logs and of devices' memory; checks existing ones. The
    /// directory above must exist.
    public func create() throws(RuntimeError) {
        try PrivateDirectory(path: root).create()
        try PrivateDirectory(path: logDirectory).create()
        try createMemoryDirectory()
    }

    /// Returns the endpoint of a socket; a long path needs an existing directory.
    public func endpoint(_ socket: FleetSocket) throws(RuntimeError) -> Endpoint {
        let directory = try socketDirectory()
        do {
            return try Endpoint.ipc(path: "\(directory)/\(socket.fileName)")
        } catch {
            throw .endpoint(error)
        }
    }

    /// Returns whether a socket's file exists; without it no process serves the socket. A killed process
    /// leaves its file.
    public func hasFile(of socket: FleetSocket) -> Bool {
        FileStatus(of: "\(root)/\(socket.fileName)")?.isSocket == true
    }

    /// Removes the socket files of dead processes. Call it only when no process of the fleet is running: a
    /// running one would become unreachable.
    public func removeSockets() throws(RuntimeError) {
        for socket in FleetSocket.allCases where hasFile(of: socket) {
            let file = "\(root)/\(socket.fileName)"
            guard unlink(file) == 0 || errno == ENOENT else { throw .lastError("remove", file) }
        }
    }

    /// Returns a path of the directory that is short enough for the sockets. It leads through the directory
    /// above, so that a client finds a directory that replaces this one, as with a short path; or directly to
    /// this directory if its name alone is too long.
    private func socketDirectory() throws(RuntimeError) -> String {
        if socketsFit(in: root) { return root }
        guard let end = path.lastIndex(of: "/"), FileStatus(of: path)?.isDirectory == true else {
            throw .noFleet(searched: path)
        }
        try check()
        let short = try OpenDirectories.path(of: String(path[..<end])) + path[end...]
        return socketsFit(in: short) ? short : try OpenDirectories.path(of: path)
    }

    private func socketsFit(in directory: String) -> Bool {
        let longest = FleetSocket.allCases.map(\.fileName.utf8.count).max() ?? 0
        return directory.utf8.count + 1 + longest <= Endpoint.ipcPathLimitBytes
    }
}

/// The sockets of a fleet, each an ipc file of its run directory.
public enum FleetSocket: String, CaseIterable, Sendable {
    case telemetry
    /// Commands to nodes and their results.
    case devices
    case clients
    /// Updates for observers.
    case stream
    case supervisor
    /// The exchange of a join token for the rights of a key; only on the network.
    case join

    public var fileName: String { "\(rawValue).sock" }
}

/// The file with the address at which the controller listens on the network.
extension RunDirectory {
    /// Reads where the controller listens, or listened when it ran last; nil if it did not.
    ///
    /// - Throws: `system` if the file cannot be read, or `invalidNetworkAddress`.
    public func networkAddress() throws(RuntimeError) -> NetworkAddress? {
        guard let text = try PrivateFile(.networkAddress, in: self).firstLine() else { return nil }
        return try NetworkAddress(text)
    }

    /// Writes where the controller listens; nil removes the file.
    ///
    /// - Throws: `system` with the call that failed.
    public func record(networkAddress address: NetworkAddress?) throws(RuntimeError) {
        guard let address else { return try PrivateFile(.networkAddress, in: self).remove() }
        try PrivateFile(.networkAddress, in: self).replace(with: Array("\(address)\n".utf8))
    }
}
