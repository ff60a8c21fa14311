import Bus
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

@Suite("Sockets of a run directory")
struct FleetSocketTests {
    /// A run directory whose path is too long for a socket's address, or not, and a name of that length.
    private func runDirectory(
        in temporary: TemporaryDirectory, isDeep: Bool, name: String = "run"
    ) throws -> RunDirectory {
        let parent = isDeep ? try temporary.makeDirectory(String(repeating: "d", count: 90)) : temporary.path
        return RunDirectory(path: "\(parent)/\(name)")
    }

    @Test("sockets are files of the run directory", arguments: FleetSocket.allCases)
    func shallow(socket: FleetSocket) throws {
        let endpoint = try RunDirectory(path: "/run/x").endpoint(socket)
        #expect(endpoint.description == "ipc:///run/x/\(socket.rawValue).sock")
    }

    @Test(
        "a server and a client meet in a run directory of any length, and nothing else leads to its sockets",
        arguments: ["run", String(repeating: "n", count: 200)])
    func deep(name: String) throws {
        let temporary = try TemporaryDirectory()
        let directory = try runDirectory(in: temporary, isDeep: true, name: name)
        #expect(throws: RuntimeError.noFleet(searched: directory.path)) { try directory.endpoint(.clients) }
        try directory.create()
        let context = try Context()
        let (server, client) = (try Socket(.rep, context: context), try Socket(.req, context: context))
        try server.bind(try directory.opened().endpoint(.clients))
        #expect(directory.hasFile(of: .clients))
        try client.connect(try directory.endpoint(.clients))
        while try client.send([1]) != .sent { sched_yield() }
        var frames = Frames()
        while try !server.receive(into: &frames) { sched_yield() }
        #expect(
            Set(try FileManager.default.contentsOfDirectory(atPath: directory.path)) == [
                "clients.sock", "logs", "memory",
            ])
        for socket in [server, client] { socket.close() }
    }

    @Test(
        "the sockets of a copied directory are its own, also if an earlier version left a link to others",
        arguments: [false, true])
    func copied(isDeep: Bool) throws {
        let temporary = try TemporaryDirectory()
        let original = try runDirectory(in: temporary, isDeep: isDeep)
        let copy = RunDirectory(path: "\(original.path)-copy")
        for directory in [original, copy] {
            try directory.create()
            try #require(symlink(original.path, "\(directory.path)/sockets") == 0)
        }
        let context = try Context()
        let (first, second) = (try Socket(.rep, context: context), try Socket(.rep, context: context))
        try first.bind(try original.opened().endpoint(.clients))
        #expect(!copy.hasFile(of: .clients))
        try second.bind(try copy.opened().endpoint(.clients))
        for (number, directory) in [original, copy].enumerated() {
            let client = try Socket(.req, context: context)
            try client.connect(try directory.endpoint(.clients))
            while try client.send([UInt8(number)]) != .sent { sched_yield() }
            var frames = Frames()
            while try ![first, second][number].receive(into: &frames) { sched_yield() }
            #expect(frames.array(at: 0) == [UInt8(number)])
            client.close()
        }
        for socket in [first, second] { socket.close() }
    }

    @Test("files of an open directory stay in it when another one takes its path", arguments: [false, true])
    func replaced(isDeep: Bool) throws {
        let temporary = try TemporaryDirectory()
        let directory = try runDirectory(in: temporary, isDeep: isDeep)
        try directory.create()
        let open = try directory.opened()
        try open.confirm()
        let moved = "\(directory.path)-moved"
        try #require(rename(directory.path, moved) == 0)
        let lost = RuntimeError.lostDirectory(path: directory.path, open: moved)
        #expect(throws: lost) { try open.confirm() }
        try directory.create()
        #expect(throws: lost) { try open.confirm() }
        try open.recordGateway(url: "http://x")
        #expect(try RunDirectory(path: moved).gatewayURL() == "http://x")
        #expect(try directory.gatewayURL() == nil)
        // An error has the present path in place of the open descriptor.
        try #require(rmdir("\(moved)/logs") == 0)
        let error = #expect(throws: RuntimeError.self) { try FileLock(path: "\(open.logDirectory)/x") }
        #expect(error?.description.contains("\(moved)/logs/x") == true)
        try FileManager.default.removeItem(atPath: moved)
        #expect(throws: RuntimeError.lostDirectory(path: directory.path, open: "\(moved) (deleted)")) {
            try open.confirm()
        }
    }

    @Test("left-over sockets are removed, and other files stay", arguments: [false, true])
    func removal(isDeep: Bool) throws {
        let temporary = try TemporaryDirectory()
        let directory = try runDirectory(in: temporary, isDeep: isDeep)
        try directory.create()
        let lock = directory.lockFile(for: "supervisor")
        _ = try FileLock(path: lock)
        let path = "\(directory.path)/clients.sock"
        try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0, "errno \(errno)")
        for _ in 0..<2 { try directory.removeSockets() }
        #expect(access(path, F_OK) != 0)
        #expect(access(lock, F_OK) == 0)
    }
}
