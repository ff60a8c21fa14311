import ProcessSupport
import TestSupport
import Testing

extension EndToEnd.HostTests {
    /// What users see of devices whose host is not connected.
    @Suite("Presence of devices on other hosts", .timeLimit(.minutes(3)))
    struct HostPresenceTests {
        private static let faults: [HostFault] =
            EndToEnd.HostTests.isFull ? [.blackhole, .partition, .mute, .deaf] : [.blackhole]
        private static let lostWithin = Duration.seconds(3)
        private static let backWithin = Duration.seconds(5)

        @Test(
            "devices of a host without a connection are not online, and are online again after it",
            arguments: faults)
        func presence(fault: HostFault) async throws {
            try await TortureNetwork.with(nodes: TortureFleet.nodeNames, seed: 1, isRelayed: false) {
                network in
                let fleet = TortureFleet(
                    try network.hosts[TortureNetwork.server].lab, .small(seed: 1), network: network)
                try fleet.directory.create()
                try await fleet.up()
                let node = try network.hosts["node-1"]
                let half = TorturePlan.devices / 2
                try await network.hosts.begin(fault, at: node)
                let lost = try await Self.time(until: half, online: fleet, within: .seconds(10))
                // So long that the system itself would try to connect only seconds later.
                await Pace.wait(.seconds(EndToEnd.HostTests.isFull ? 30 : 3))
                let still = try await fleet.onlineDevices()
                try await network.hosts.end(fault, at: node)
                let back = try await Self.time(
                    until: TorturePlan.devices, online: fleet, within: .seconds(60))
                print("measured: \(fault.rawValue): devices lost after \(lost), online \(back) after its end")
                #expect(still == half)
                #expect(lost <= Self.lostWithin.slowed)
                #expect(back <= Self.backWithin.slowed)
            }
        }

        private static func time(
            until devices: Int, online fleet: TortureFleet, within limit: Duration
        ) async throws -> Duration {
            try #require(
                try await Pace.look(for: limit.slowed) { try await fleet.onlineDevices() == devices })
        }
    }
}
