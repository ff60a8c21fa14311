import Bus
import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("Sockets of a run directory")
struct FleetSocketTests {
    /// A run directory whose path is too long for a socket's address.
    private func deepDirectory(in temporary: TemporaryDirectory) throws -> RunDirectory {
        let parent = try temporary.makeDirectory(String(repeating: "d", count: 90))
        return RunDirectory(path: "\(parent)/run")
    }

    @Test("sockets are files of the run directory", arguments: FleetSocket.allCases)
    func shallow(socket: FleetSocket) throws {
        let endpoint = try RunDirectory(path: "/run/x").endpoint(socket)
        #expect(endpoint.description == "ipc:///run/x/\(socket.rawValue).sock")
    }

    @Test("sockets of a deep directory are in a short one of the user's, the same for every process")
    func deep() throws {
        let temporary = try TemporaryDirectory()
        let runtime = try temporary.makeDirectory("runtime")
        let directory = try deepDirectory(in: temporary)
        #expect(throws: RuntimeError.noFleet(searched: directory.path)) { try directory.endpoint(.clients) }

        try directory.create(environment: ["XDG_RUNTIME_DIR": runtime])
        let path = try #require(try directory.endpoint(.clients).ipcPath)
        #expect(path.hasPrefix("\(runtime)/sensibus-\(geteuid())-"))
        #expect(path.hasSuffix("/clients.sock"))

        // Another process with another environment finds and keeps the same.
        let other = RunDirectory(path: directory.path)
        try other.create()
        #expect(try other.endpoint(.clients) == directory.endpoint(.clients))
    }

    @Test("two deep directories have separate sockets, in /tmp without a runtime directory")
    func apart() throws {
        let temporary = try TemporaryDirectory()
        let first = try deepDirectory(in: temporary)
        let second = RunDirectory(path: "\(first.path)2")
        for directory in [first, second] { try directory.create() }
        let paths = try [first, second].map { try #require(try $0.endpoint(.stream).ipcPath) }
        #expect(paths.allSatisfy { $0.hasPrefix("/tmp/sensibus-\(geteuid())-") })
        #expect(paths[0] != paths[1])
        for directory in [first, second] { try directory.removeSockets() }
    }

    @Test("a missing short directory is replaced, and removing its sockets before that does nothing")
    func missingShortDirectory() throws {
        let temporary = try TemporaryDirectory()
        let directory = try deepDirectory(in: temporary)
        let first = try temporary.makeDirectory("first")
        let second = try temporary.makeDirectory("second")
        try directory.create(environment: ["XDG_RUNTIME_DIR": first])
        try #require(rename(first, "\(temporary.path)/away") == 0)
        try directory.removeSockets()
        try directory.create(environment: ["XDG_RUNTIME_DIR": second])
        #expect(try directory.endpoint(.clients).ipcPath?.hasPrefix("\(second)/") == true)
    }

    @Test("a short directory that others can enter is refused")
    func openShortDirectory() throws {
        let temporary = try TemporaryDirectory()
        let directory = try deepDirectory(in: temporary)
        try directory.create(environment: ["XDG_RUNTIME_DIR": temporary.path])
        let file = try #require(try directory.endpoint(.clients).ipcPath)
        let short = String(file.dropLast("/clients.sock".count))
        try #require(chmod(short, 0o777) == 0)
        #expect(throws: RuntimeError.openToOthers(path: short, mode: 0o777)) {
            try directory.endpoint(.clients)
        }
    }

    @Test("left-over sockets are removed, and other files stay", arguments: [false, true])
    func removal(isDeep: Bool) throws {
        let temporary = try TemporaryDirectory()
        let directory =
            isDeep ? try deepDirectory(in: temporary) : RunDirectory(path: "\(temporary.path)/run")
        try directory.create(environment: ["XDG_RUNTIME_DIR": temporary.path])
        let lock = directory.lockFile(for: "supervisor")
        _ = try FileLock(path: lock)
        let path = try #require(try directory.endpoint(.clients).ipcPath)
        try leaveSocket(at: path)
        #expect(access(path, F_OK) == 0)

        for _ in 0..<2 { try directory.removeSockets() }
        #expect(access(path, F_OK) != 0)
        #expect(access(lock, F_OK) == 0)
    }

    /// Creates a socket's file, as a killed process leaves it.
    private func leaveSocket(at path: String) throws {
        try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0, "errno \(errno)")
    }
}
