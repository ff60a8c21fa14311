import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("Stored records of account services")
struct StoredServiceRecordsTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func record(
        _ service: StaticString, of account: AccountID = .demo, _ key: [UInt8], _ value: [UInt8]?
    ) -> ServiceRecord {
        ServiceRecord(service: ServiceName(constant: service), account: account, key: key, value: value)
    }

    @Test("Records survive a restart, in the order of services, accounts and keys")
    func order() throws {
        let records = [
            record("labels", of: .demo, [1], [1, 2, 3]), record("labels", of: .demo, [2], []),
            record("labels", of: .other, [1], [9]), record("notes", of: .demo, [1], [7]),
        ]
        try bench.open().append(records.reversed().map { .service($0) })
        #expect(try bench.open().serviceRecords() == records)
    }

    @Test("A record replaces the one with its service, account and key; a nil value removes it")
    func replaced() throws {
        let (first, second) = (record("labels", [1], [1]), record("labels", [1], [2]))
        let other = record("notes", [1], [3])
        try bench.open().append([.service(first), .service(other), .service(second)])
        #expect(try bench.open().serviceRecords() == [second, other])
        try bench.open().append([.service(record("labels", [1], nil))])
        #expect(try bench.open().serviceRecords() == [other])
    }

    @Test("Records are not stored if another controller has the store")
    func fenced() throws {
        let old = try bench.open()
        _ = try bench.open()
        #expect(throws: StorageError.self) { try old.append([.service(record("labels", [1], [1]))]) }
        #expect(try bench.open().serviceRecords().isEmpty)
    }

    @Test("A store whose record was changed by another program is refused as damaged, with the table's name")
    func damaged() throws {
        let store = try bench.open()
        try store.append([.service(record("labels", [1], [1]))])
        try store.close()
        try Database(path: bench.path).execute("UPDATE serviceRecords SET value = x'02'")
        let error = try #require(throws: StorageError.self) { _ = try bench.open() }
        #expect("\(error)".contains("serviceRecords"))
    }
}
