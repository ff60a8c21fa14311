import ControllerCore
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored nodes")
struct StoredNodesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var path: String { directory.path + "/controller.sqlite" }

    /// Opens the store, as each run of the controller does.
    private func open() throws -> Store {
        let store = try Store(path: path, durability: .process)
        _ = try store.beginEpoch(at: WallTime(unixMilliseconds: 1_800_000_000_000))
        return store
    }

    private func list(
        _ name: String, _ range: Range<UInt64>, of account: String = "demo"
    ) throws -> NodeDevices {
        NodeDevices(
            account: try #require(AccountID(account)), node: try #require(NodeName(name)),
            devices: range.map { DeviceID(fleetSeed: 1, index: $0) })
    }

    @Test("nodes are in the store with their devices, including those added later")
    func added() throws {
        try open().append([
            .directory(.added(try list("node-1", 0..<400))),
            .directory(.added(try list("node-1", 400..<450))),
        ])
        try open().append([.directory(.added(try list("node-1", 450..<451, of: "other")))])
        #expect(
            try open().nodes() == [
                try list("node-1", 450..<451, of: "other"), try list("node-1", 0..<450),
            ])
    }

    @Test("a node has the devices that were listed last, and without devices is deleted")
    func listed() throws {
        let store = try open()
        try store.append([
            .directory(.added(try list("node-1", 0..<400))),
            .directory(.added(try list("node-2", 400..<500))),
        ])
        try store.append([.directory(.listed(try list("node-1", 7..<9)))])
        #expect(try store.nodes() == [try list("node-1", 7..<9), try list("node-2", 400..<500)])
        try store.append([.directory(.listed(try list("node-1", 0..<0)))])
        #expect(try store.nodes() == [try list("node-2", 400..<500)])
    }

    @Test("nodes heard longest ago are deleted when there are too many nodes or devices")
    func bounds() throws {
        let first = try open()
        for (place, name) in ["a", "b", "c"].enumerated() {
            try first.append([
                .directory(.added(try list(name, UInt64(place) * 10..<UInt64(place) * 10 + 10)))
            ])
        }
        let second = try open()
        let confirmed = try list("c", 0..<0)
        try second.append([.directory(.confirmed(confirmed.account, confirmed.node))])
        #expect(try second.nodes(atMost: 2).map(\.node.text) == ["c", "a"])
        #expect(try second.nodes().map(\.node.text) == ["c", "a"], "the third is deleted permanently")
        #expect(try second.nodes(devices: 19).map(\.node.text) == ["c"])
        #expect(try second.nodes().map(\.devices.count) == [10])
    }

    @Test("nodes of a former epoch are not stored")
    func fenced() throws {
        let store = try open()
        let later = try open()
        #expect(throws: StorageError.self) {
            try store.append([.directory(.added(try list("node-1", 0..<4)))])
        }
        #expect(try later.nodes().isEmpty)
    }

    @Test("damaged rows of nodes are refused")
    func damaged() throws {
        try open().append([.directory(.added(try list("node-1", 0..<4)))])
        try Database(path: path).execute("UPDATE nodeDevices SET devices = x'00' || devices")
        #expect(throws: StorageError.damaged(path: path, what: "a row of table nodeDevices")) {
            try open()
        }
    }
}
