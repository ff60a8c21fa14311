import ControllerCore
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored records of account services")
struct StoredServiceRecordsTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/controller.sqlite"
    }

    private func open() throws -> Store {
        let store = try Store(path: path, durability: .process)
        _ = try store.beginEpoch(at: WallTime(unixMilliseconds: 1_800_000_000_000))
        return store
    }

    private func record(
        _ service: StaticString, of account: String = "demo", _ key: [UInt8], _ value: [UInt8]?
    ) throws -> ServiceRecord {
        ServiceRecord(
            service: ServiceName(constant: service), account: try #require(AccountID(account)), key: key,
            value: value)
    }

    @Test("Records survive a restart, in the order of services, accounts and keys")
    func order() throws {
        let records = [
            try record("labels", of: "demo", [1], [1, 2, 3]), try record("labels", of: "demo", [2], []),
            try record("labels", of: "other", [1], [9]), try record("notes", of: "demo", [1], [7]),
        ]
        try open().append(records.reversed().map { .service($0) })
        #expect(try open().serviceRecords() == records)
    }

    @Test("A record replaces the one with its service, account and key; a nil value removes it")
    func replaced() throws {
        let (first, second) = (try record("labels", [1], [1]), try record("labels", [1], [2]))
        let other = try record("notes", [1], [3])
        try open().append([.service(first), .service(other), .service(second)])
        #expect(try open().serviceRecords() == [second, other])
        try open().append([.service(try record("labels", [1], nil))])
        #expect(try open().serviceRecords() == [other])
    }

    @Test("Records are not stored if another controller has the store")
    func fenced() throws {
        let old = try open()
        _ = try open()
        #expect(throws: StorageError.self) { try old.append([.service(try record("labels", [1], [1]))]) }
        #expect(try open().serviceRecords().isEmpty)
    }

    @Test("A store whose record was changed by another program is refused as damaged, with the table's name")
    func damaged() throws {
        let store = try open()
        try store.append([.service(try record("labels", [1], [1]))])
        try store.close()
        try Database(path: path).execute("UPDATE serviceRecords SET value = x'02'")
        let error = try #require(throws: StorageError.self) { _ = try open() }
        #expect("\(error)".contains("serviceRecords"))
    }
}
