import ControllerCore
import FleetProtocol
import ProcessSupport
import Testing

@testable import controller

@Suite("Stored nodes")
struct StoredNodesTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func list(_ name: String, _ range: Range<UInt64>, of account: AccountID = .demo) -> NodeDevices {
        NodeDevices(
            account: account, node: valid(NodeName(name)),
            devices: range.map { DeviceID(fleetSeed: 1, index: $0) })
    }

    @Test("nodes are in the store with their devices, including those added later")
    func added() throws {
        try bench.open().append([
            .directory(.added(list("node-1", 0..<400))),
            .directory(.added(list("node-1", 400..<450))),
        ])
        try bench.open().append([.directory(.added(list("node-1", 450..<451, of: .other)))])
        #expect(try bench.open().nodes() == [list("node-1", 450..<451, of: .other), list("node-1", 0..<450)])
    }

    @Test("a node has the devices that were listed last, and without devices is deleted")
    func listed() throws {
        let store = try bench.open()
        try store.append([
            .directory(.added(list("node-1", 0..<400))),
            .directory(.added(list("node-2", 400..<500))),
        ])
        try store.append([.directory(.listed(list("node-1", 7..<9)))])
        #expect(try store.nodes() == [list("node-1", 7..<9), list("node-2", 400..<500)])
        try store.append([.directory(.listed(list("node-1", 0..<0)))])
        #expect(try store.nodes() == [list("node-2", 400..<500)])
    }

    @Test("nodes heard longest ago are deleted when there are too many nodes or devices")
    func bounds() throws {
        let first = try bench.open()
        for (place, name) in ["a", "b", "c"].enumerated() {
            try first.append([.directory(.added(list(name, UInt64(place) * 10..<UInt64(place) * 10 + 10)))])
        }
        let second = try bench.open()
        let confirmed = list("c", 0..<0)
        try second.append([.directory(.confirmed(confirmed.account, confirmed.node))])
        #expect(try second.nodes(atMost: 2).map(\.node.text) == ["c", "a"])
        #expect(try second.nodes().map(\.node.text) == ["c", "a"], "the third is deleted permanently")
        #expect(try second.nodes(devices: 19).map(\.node.text) == ["c"])
        #expect(try second.nodes().map(\.devices.count) == [10])
    }

    @Test("nodes of a former epoch are not stored")
    func fenced() throws {
        let store = try bench.open()
        let later = try bench.open()
        #expect(throws: StorageError.self) {
            try store.append([.directory(.added(list("node-1", 0..<4)))])
        }
        #expect(try later.nodes().isEmpty)
    }

    @Test("damaged rows of nodes are refused")
    func damaged() throws {
        try bench.open().append([.directory(.added(list("node-1", 0..<4)))])
        try Database(path: bench.path).execute("UPDATE nodeDevices SET devices = x'00' || devices")
        #expect(throws: StorageError.damaged(path: bench.path, what: "a row of table nodeDevices")) {
            try bench.open()
        }
    }
}
