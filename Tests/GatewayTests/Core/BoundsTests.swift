import FleetProtocol
import Testing
import UserText

@testable import GatewayCore

@Suite("The rate limit")
struct RateLimiterTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: (1_000_000 + milliseconds) * 1_000_000)
    }

    @Test("a key has five requests in five seconds, and a refusal has the time of the next one")
    func plain() {
        var limiter = RateLimiter<Int>()
        for second in Int64(0)..<5 {
            #expect(limiter.admit(1, takesCompressed: false, at: at(second * 500)) == nil)
        }
        #expect(limiter.admit(1, takesCompressed: false, at: at(3_000)) == .milliseconds(2_000))
        #expect(limiter.admit(1, takesCompressed: false, at: at(4_999)) == .milliseconds(1))
        #expect(limiter.admit(1, takesCompressed: false, at: at(5_000)) == nil)
        #expect(limiter.admit(1, takesCompressed: false, at: at(5_000)) == .milliseconds(500))
    }

    @Test("a key has ten requests in ten seconds with compressed answers")
    func compressed() {
        var limiter = RateLimiter<Int>()
        for _ in 0..<10 { #expect(limiter.admit(1, takesCompressed: true, at: at(0)) == nil) }
        #expect(limiter.admit(1, takesCompressed: true, at: at(9_999)) == .milliseconds(1))
        #expect(limiter.admit(1, takesCompressed: true, at: at(10_000)) == nil)
    }

    @Test("both kinds of a key's requests count together, and keys are independent")
    func keys() {
        var limiter = RateLimiter<Int>()
        for _ in 0..<7 { #expect(limiter.admit(1, takesCompressed: true, at: at(0)) == nil) }
        #expect(limiter.admit(1, takesCompressed: false, at: at(100)) == .milliseconds(4_900))
        #expect(limiter.admit(1, takesCompressed: true, at: at(100)) == nil)
        #expect(limiter.admit(2, takesCompressed: false, at: at(100)) == nil)
    }

    @Test("the number of keys is bounded, and a quiet key's place is reused")
    func bounded() {
        var limiter = RateLimiter<Int>(keysAtMost: 3)
        for key in 1...3 { #expect(limiter.admit(key, takesCompressed: false, at: at(0)) == nil) }
        #expect(limiter.admit(4, takesCompressed: false, at: at(9_999)) == .seconds(5))
        #expect(limiter.admit(1, takesCompressed: false, at: at(9_999)) == nil)
        #expect(limiter.admit(4, takesCompressed: false, at: at(10_000)) == nil)
        #expect(limiter.admit(1, takesCompressed: false, at: at(10_000)) == nil)
    }
}

@Suite("Open connections")
struct ConnectionTableTests {
    private typealias Table = ConnectionTable

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

@Suite("Places of listeners")
struct ListenerPlacesTests {
    @Test("the newest listener of a session replaces its oldest, and none of other sessions")
    func session() {
        var places = ListenerSlots<String>(perSession: 2, atMost: 10)
        let other = places.add("other")
        let (first, second) = (places.add("greedy"), places.add("greedy"))
        #expect([other, first, second].allSatisfy { $0.leaving == nil })
        let third = places.add("greedy")
        #expect(third.leaving == first.id)
        places.remove(second.id)
        #expect(places.add("greedy").leaving == nil)
        #expect(places.add("greedy").leaving == third.id)
        #expect(places.count == 3)
    }

    @Test("in a full table, the oldest listener of the session with the most is replaced")
    func account() {
        var places = ListenerSlots<String>(perSession: 3, atMost: 4)
        let honest = places.add("honest")
        let greedy = (0..<3).map { _ in places.add("greedy") }
        #expect(places.add("late").leaving == greedy[0].id)
        #expect(places.add("later").leaving == greedy[1].id)
        #expect(places.add("latest").leaving == honest.id, "each session has one, and it came first")
        #expect(places.count == 4)
    }
}

@Suite("Places of mirrors")
struct ReplicaPlacesTests {
    private static let now = MonotonicTime.zero.advanced(by: .seconds(1_000))

    private func place(
        _ name: String, idleFor seconds: Int, isListenedTo: Bool = false, hasDevices: Bool
    ) throws -> ReplicaSlots.Place {
        ReplicaSlots.Place(
            account: CellAccount(try #require(AccountID(name)), in: nil),
            usedAt: Self.now.advanced(by: .seconds(-seconds)),
            isListenedTo: isListenedTo, hasDevices: hasDevices)
    }

    @Test("accounts with devices keep their mirrors, and the number of those without devices is bounded")
    func guests() throws {
        let demo = try place("demo", idleFor: 900, hasDevices: true)
        var places = [demo]
        for guest in 0..<ReplicaSlots.withoutDevices {
            #expect(ReplicaSlots.room(among: places, at: Self.now) == .free)
            places.append(try place("guest-\(guest)", idleFor: guest, isListenedTo: true, hasDevices: false))
        }
        let oldest = CellAccount(try #require(AccountID("guest-\(ReplicaSlots.withoutDevices - 1)")), in: nil)
        #expect(ReplicaSlots.room(among: places, at: Self.now) == .insteadOf([oldest]))
    }

    @Test("mirrors of accounts without devices are given up first if they have no listener")
    func idle() throws {
        var places = try (1..<ReplicaSlots.withoutDevices).map {
            try place("guest-\($0)", idleFor: 500, isListenedTo: true, hasDevices: false)
        }
        let idle = try place("idle", idleFor: 0, hasDevices: false)
        places.append(idle)
        #expect(ReplicaSlots.room(among: places, at: Self.now) == .insteadOf([idle.account]))
    }

    @Test("mirrors of accounts with devices are given up only if idle and without a listener")
    func rested() throws {
        var places = try (1..<ReplicaSlots.withDevices).map {
            try place("fleet-\($0)", idleFor: 10, hasDevices: true)
        }
        let listened = try place("listened", idleFor: 500, isListenedTo: true, hasDevices: true)
        #expect(ReplicaSlots.room(among: places + [listened], at: Self.now) == .none)
        let resting = try place("resting", idleFor: 61, hasDevices: true)
        places.append(resting)
        #expect(ReplicaSlots.room(among: places, at: Self.now) == .insteadOf([resting.account]))
    }
}

@Suite("Client addresses")
struct ClientAddressTests {
    @Test(
        "a client's address is taken from the right of X-Forwarded-For, as far as proxies are trusted",
        arguments: [
            // The peer is not a trusted proxy.
            ("198.51.100.7", ["10.9.9.9"], "198.51.100.7"),
            // The proxy reports the client.
            ("10.0.0.1", ["198.51.100.7"], "198.51.100.7"),
            // The client's own entry is to the left.
            ("10.0.0.1", ["1.1.1.1, 198.51.100.7"], "198.51.100.7"),
            ("10.0.0.1", ["1.1.1.1", "198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            // A proxy with a missing or invalid header counts as the client.
            ("10.0.0.1", [], "10.0.0.1"), ("10.0.0.1", ["unknown"], "10.0.0.1"),
        ])
    func forwarded(peer: String, headers: [String], expected: String) throws {
        let proxies = [try #require(IPNetwork("10.0.0.0/8"))]
        let client = IPAddress.client(
            behind: try #require(IPAddress(peer)), forwarded: headers, trusting: proxies)
        #expect(client == IPAddress(expected))
    }
}

@Suite("Allowed host names")
struct AllowedHostsTests {
    @Test(
        "allowed hosts are this machine's names, the bound address, and the public names",
        arguments: [
            ("localhost", true), ("LOCALHOST:8701", true), ("fleet.localhost", true),
            ("127.0.0.1:8701", true),
            ("127.9.9.9", true), ("[::1]:8701", true), ("Fleet.Example.org:443", true),
            ("fleet.example.org.", true), ("evil.example", false), ("evil.example:8701", false),
            ("fleet.example.org.evil.example", false), ("localhost.evil.example", false),
            ("192.168.1.2", false), ("[2001:db8::1]", false), ("127.0.0.1.evil.example", false), ("", false),
            ("127.evil.example.com", false), ("localhost, evil.example", false), ("localhost/", false),
            ("localhost?x", false), ("localhost#x", false), ("user@localhost", false),
            ("localhost:http", false), ("localhost:65536", false), ("localhost:", false), ("[::1", false),
            ("[::1]x", false), ("::1", false), ("localhost ", false),
        ])
    func local(authority: String, isAllowed: Bool) {
        let hosts = AllowedHosts(bound: "127.0.0.1", publicNames: ["fleet.example.org"])
        #expect(hosts.allows(authority) == isAllowed)
    }

    @Test("a gateway bound to all addresses allows any address, and otherwise the bound one")
    func bound() {
        for all in ["0.0.0.0", "::"] {
            let hosts = AllowedHosts(bound: all, publicNames: [])
            #expect(hosts.allows("192.168.1.2:8701") && hosts.allows("[2001:db8::1]:8701"))
            #expect(!hosts.allows("evil.example"))
        }
        let hosts = AllowedHosts(bound: "192.168.1.2", publicNames: [])
        #expect(hosts.allows("192.168.1.2:8701") && !hosts.allows("192.168.1.3"))
        #expect(AllowedHosts(bound: "gateway.lan", publicNames: []).allows("gateway.lan:8701"))
        // Behind a proxy that browsers reach by its address.
        let proxied = AllowedHosts(bound: "127.0.0.1", publicNames: ["198.51.100.7", "Fleet.example.org."])
        #expect(proxied.allows("198.51.100.7") && proxied.allows("fleet.example.org"))
        #expect(!AllowedHosts(bound: "::1", publicNames: []).allows(""))
    }
}
