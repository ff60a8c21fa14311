import FleetProtocol
import GatewayCore
import Testing

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
