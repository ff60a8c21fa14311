import GatewayCore
import Testing

@Suite("Open connections")
struct ConnectionTableTests {
    private typealias Table = ConnectionTable<String>

    /// Opens one; nil if it is refused.
    private func open(_ table: inout Table, from address: String?) -> (id: Table.ID, closing: Table.ID?)? {
        guard case .accepted(let id, let closing) = table.open(from: address) else { return nil }
        return (id, closing)
    }

    @Test("idle connections are closed for new ones in a full table, the longest idle first")
    func oldestIdle() throws {
        var table = Table(connectionsAtMost: 3, perAddress: 3)
        let first = try #require(open(&table, from: "a")).id
        let second = try #require(open(&table, from: "b")).id
        let third = try #require(open(&table, from: "c")).id
        // The first has been answered since, so it has been idle for the shortest time.
        table.becameBusy(first)
        table.becameIdle(first)
        #expect(try #require(open(&table, from: "d")).closing == second)
        #expect(try #require(open(&table, from: "e")).closing == third)
        #expect(try #require(open(&table, from: "f")).closing == first)
        #expect(table.count == 3)
    }

    @Test("connections that await answers stay, and if all do, a new one is refused")
    func busy() throws {
        var table = Table(connectionsAtMost: 2, perAddress: 2)
        let first = try #require(open(&table, from: "a")).id
        let second = try #require(open(&table, from: "b")).id
        table.becameBusy(first)
        #expect(try #require(open(&table, from: "c")).closing == second)
        let third = try #require(open(&table, from: "d")).id
        table.becameBusy(third)
        #expect(table.open(from: "e") == .refused)
        table.close(first)
        #expect(try #require(open(&table, from: "e")).closing == nil)
    }

    @Test("without idle connections, the longest-sending one of the busiest address is closed")
    func sending() throws {
        var table = Table(connectionsAtMost: 5, perAddress: 4)
        var ids: [Table.ID] = []
        for address in ["a", "b", "b", "b", "a"] {
            let id = try #require(open(&table, from: address)).id
            table.becameBusy(id)
            ids.append(id)
        }
        #expect(table.open(from: "c") == .refused)
        for place in [0, 2, 1] { table.beganSending(ids[place]) }
        let first = try #require(open(&table, from: "c"))
        #expect(first.closing == ids[2])
        let second = try #require(open(&table, from: "d"))
        #expect(second.closing == first.id, "it was idle")
        table.becameBusy(second.id)
        // Now both addresses have two connections.
        #expect(try #require(open(&table, from: "e")).closing == ids[0])
    }

    @Test("a new connection of a full address replaces its own longest-sending one")
    func sendingPerAddress() throws {
        var table = Table(connectionsAtMost: 10, perAddress: 2)
        let other = try #require(open(&table, from: "b")).id
        table.becameBusy(other)
        table.beganSending(other)
        let first = try #require(open(&table, from: "a")).id
        let second = try #require(open(&table, from: "a")).id
        for id in [second, first] {
            table.becameBusy(id)
            table.beganSending(id)
        }
        #expect(try #require(open(&table, from: "a")).closing == second)
        // The answer of the first has ended, and the next request has arrived.
        table.becameBusy(first)
        let third = try #require(open(&table, from: "a"))
        table.becameBusy(third.id)
        #expect(table.open(from: "a") == .refused)
    }

    @Test("connections of one address have their own limit, and replace none of another")
    func perAddress() throws {
        var table = Table(connectionsAtMost: 10, perAddress: 2)
        let honest = try #require(open(&table, from: "honest")).id
        let first = try #require(open(&table, from: "flood")).id
        let second = try #require(open(&table, from: "flood")).id
        #expect(try #require(open(&table, from: "flood")).closing == first)
        table.becameBusy(second)
        let fourth = try #require(open(&table, from: "flood"))
        table.becameBusy(fourth.id)
        #expect(table.open(from: "flood") == .refused)
        // Those without an address are limited by the total only.
        for _ in 0..<7 { #expect(try #require(open(&table, from: nil)).closing == nil) }
        #expect(try #require(open(&table, from: nil)).closing == honest)
    }

    @Test("connections keep their order over many idle times, in bounded memory")
    func churn() throws {
        var table = Table(connectionsAtMost: 4, perAddress: 4)
        let ids = try (0..<4).map { _ in try #require(open(&table, from: "a")).id }
        for _ in 0..<10_000 {
            for id in ids.dropFirst() {
                table.becameBusy(id)
                table.beganSending(id)
                table.becameIdle(id)
            }
        }
        #expect(try #require(open(&table, from: "a")).closing == ids[0])
        #expect(try #require(open(&table, from: "a")).closing == ids[1])
    }
}
