import Bus
import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored moves of accounts")
struct StoredMovesTests {
    private let directory: TemporaryDirectory
    private let moved = valid(AccountID("moved"))
    private let move: AccountMove

    init() throws {
        directory = try TemporaryDirectory()
        move = AccountMove(
            account: moved, source: valid(CellName("c1")), target: valid(CellName("c2")),
            epoch: Epoch(2_000_000_000), number: 1)
    }

    /// The path of a store, which has a directory of its own, as its witness does.
    private func path(_ name: String) throws -> String {
        let place = "\(directory.path)/\(name)"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        return place + "/controller.sqlite"
    }

    private func open(_ name: String) throws -> Store {
        let store = try Store(path: try path(name), durability: .process)
        _ = try store.beginEpoch(at: StoreBench.now)
        return store
    }

    /// Stores two accounts, each with a user, a session, a key, devices, a record and a logbook's marks.
    private func fill(_ store: Store) throws {
        for (number, account) in [moved, .other].enumerated() {
            let email = valid(Email("\(account.name)@example.org"))
            let session = Session(account: account, email: email, role: .owner, isOperator: true)
            let byte = UInt8(number * 2 + 1)
            let known = ControllerConfiguration.KnownKey("script", of: email, .of(byte + 1), scope: .read)
            let devices = NodeDevices(
                account: account, node: valid(NodeName("node-1")),
                devices: [DeviceID(constant: number == 0 ? "VMe9BNPT" : "4RbAAAAA")])
            try store.append([
                .access(.userAdded(.init(session: session, passwordHash: "hash of \(account)"))),
                .access(.sessionOpened(.of(byte), email, at: StoreBench.now)),
                .access(.keyAdded(known.key, known.digest)), .directory(.added(devices)),
                .service(
                    ServiceRecord(
                        service: ServiceName(constant: "labels"), account: account, key: [1], value: [2])),
                .service(ServiceRecord(LogbookRecord.marks(LogbookMarks()), of: account)),
            ])
        }
    }

    /// The content of an account without keys of machines.
    private func content(_ rows: [UInt8]) throws -> [UInt8] {
        try MovedContent(rows: rows, peers: PeerList()).encoded()
    }

    @Test("the content of an account is read as it was written, and damaged content is refused")
    func encoding() throws {
        var peers = PeerList()
        let key = try CurveKeyPair.generate().publicKey
        let name = valid(NodeName("attic"))
        try peers.add(
            Peer(name: name, role: .observer, account: moved, key: key, since: StoreBench.now),
            at: StoreBench.now)
        let bytes = try MovedContent(rows: [1, 2, 3], peers: peers).encoded()
        let content = try MovedContent(bytes)
        #expect(content.rows == [1, 2, 3] && content.peers == peers)
        for end in bytes.indices {
            #expect(throws: AccountRows.Objection.self) { try MovedContent(Array(bytes[..<end])) }
        }
        #expect(throws: AccountRows.Objection.self) { try MovedContent(bytes + [0]) }
    }

    @Test("an account moves with all its rows, which are removed where it was, and no others")
    func moves() throws {
        let (source, target) = (try open("source"), try open("target"))
        try fill(source)
        let rows = try source.rows(of: moved)
        let scratch = directory.path + "/scratch"
        #expect(try target.objection(toAdding: rows, of: move, scratch: scratch) == nil)
        #expect(try target.users().isEmpty, "a check adds nothing")
        try target.append([.move(.taken(move, rows: try content(rows)))])
        #expect(target.hasMoved)
        #expect(try target.users().map(\.session.account) == [moved])
        #expect(try target.sessions().map(\.digest) == [.of(1)])
        #expect(try target.keys().map(\.digest) == [.of(2)])
        #expect(try target.nodes().map(\.account) == [moved])
        #expect(try target.serviceRecords().map(\.account) == [moved, moved])
        #expect(try target.moves().taken == [move])

        let epoch = Epoch(2_000_000_001)
        try source.append([.move(.committed(move))])
        #expect(try source.moves().committed == move)
        try source.append([.move(.departed(move, tokens: [.of(1), .of(2)], epoch: epoch))])
        #expect(try source.users().map(\.session.account) == [.other])
        #expect(try source.sessions().map(\.digest) == [.of(3)])
        #expect(try source.keys().map(\.digest) == [.of(4)])
        #expect(try source.nodes().map(\.account) == [.other])
        #expect(try source.serviceRecords().map(\.account) == [.other, .other])
        let left = try source.moves()
        #expect(left.committed == nil)
        #expect(left.departed == [moved: CellDirectoryPage.Successor(cell: move.target, epoch: epoch)])
        #expect(Set(left.tokens.values) == [move.target] && left.tokens.count == 2)
    }

    @Test("the next epoch exceeds that of the cell that had the account")
    func epoch() throws {
        let (source, target) = (try open("source"), try open("target"))
        try fill(source)
        try target.append([.move(.taken(move, rows: try content(source.rows(of: moved))))])
        try target.close()
        let again = try Store(path: try path("target"), durability: .process)
        #expect(try again.beginEpoch(at: StoreBench.now) == Epoch(move.epoch.value + 1))
    }

    @Test("an account that returns is no longer known as moved away")
    func returns() throws {
        let store = try open("source")
        try fill(store)
        let rows = try store.rows(of: moved)
        let tokens = [TokenDigest.of(1), .of(2)]
        try store.append([.move(.departed(move, tokens: tokens, epoch: Epoch(9)))])
        let back = AccountMove(
            account: moved, source: move.target, target: move.source, epoch: Epoch(9), number: 1)
        try store.append([.move(.taken(back, rows: try content(rows)))])
        let moves = try store.moves()
        #expect(moves.departed.isEmpty && moves.tokens.isEmpty)
        #expect(try store.users().count == 2)
    }

    @Test(
        "rows that are damaged, are here already or belong to another account are refused, and change nothing"
    )
    func refused() throws {
        let (source, target) = (try open("source"), try open("target"))
        try fill(source)
        let rows = try source.rows(of: moved)
        let scratch = directory.path + "/scratch"
        func objection(_ rows: [UInt8], _ store: Store) throws -> String? {
            try store.objection(toAdding: rows, of: move, scratch: scratch)
        }
        #expect(try objection(rows, source) != nil, "they are here")
        #expect(try objection(try source.rows(of: .other), target)?.contains("another account") == true)
        for end in stride(from: 0, to: rows.count, by: 7) {
            #expect(try objection(Array(rows[..<end]), target) != nil)
        }
        #expect(try objection(rows + [0], target) != nil)
        #expect(try target.users().isEmpty && target.sessions().isEmpty)
    }

    @Test("rows with a value that a controller cannot read are refused")
    func unreadable() throws {
        let (source, target) = (try open("source"), try open("target"))
        try fill(source)
        try source.tryOut { db in
            try db.execute("UPDATE users SET role = 'king' WHERE account = 'moved'")
            let rows = try AccountRows(account: moved).encoded(from: db)
            let objection = try target.objection(
                toAdding: rows, of: move, scratch: directory.path + "/scratch")
            #expect(objection?.contains("users") == true, "\(objection ?? "none")")
        }
    }
}
