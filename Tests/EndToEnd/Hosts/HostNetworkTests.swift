import Bus
import FleetProtocol
import Glibc
import TestSupport
import Testing

extension EndToEnd.HostTests {
    /// The laboratory itself, with a ZeroMQ server on one host and a client on another.
    @Suite("Network of the test hosts")
    struct HostNetworkTests {
        private static let recoveredWithin = Duration.seconds(5)
        /// At least this much passes, so that the forwarder does not limit a fleet.
        private static let megabitsAtLeast = 50.0

        @Test(
            "each fault of the network has its effect on a ZeroMQ connection, and ends",
            .timeLimit(.minutes(2)))
        func faults() async throws {
            try await Self.withEcho { lab, server, probe in
                for fault in HostFault.allCases where !Self.isOfClock(fault) {
                    try await lab.begin(fault, at: server)
                    let during = try probe.reply(within: Self.isCutting(fault) ? .seconds(2) : .seconds(10))
                    try await lab.end(fault, at: server)
                    let after = try probe.reply(within: .seconds(20).slowed)
                    Self.show(fault, during, after)
                    #expect((during == nil) == Self.isCutting(fault), "\(fault)")
                    #expect(try #require(after).recovery <= Self.recoveredWithin.slowed, "\(fault)")
                }
                let counts = try lab.forwarder.counts()
                #expect(counts["lost", default: 0] > 0, "\(counts)")
            }
        }

        @Test("packets are delayed, lost, reordered and duplicated as commanded, and all messages arrive")
        func disturbedTransfer() async throws {
            try await Self.withEcho { lab, server, probe in
                let plain = try probe.megabitsPerSecond(messages: 2_000)
                print(
                    "measured: through the forwarder: \(Int(plain)) Mbit/s each way (≥ \(Self.megabitsAtLeast))"
                )
                #expect(plain >= Self.megabitsAtLeast / Double(Slowdown.factor))
                for fault in [HostFault.lossy, .reordered, .duplicated, .smallPackets, .narrow] {
                    try await lab.begin(fault, at: server)
                    let rate = try probe.megabitsPerSecond(messages: 40)
                    try await lab.end(fault, at: server)
                    print("measured: \(fault.rawValue): \(rate) Mbit/s each way")
                    if fault == .narrow { #expect(rate < 4) }
                }
                let counts = try lab.forwarder.counts()
                #expect(
                    ["lost", "duplicated", "reordered"].allSatisfy { counts[$0, default: 0] > 0 }, "\(counts)"
                )
            }
        }

        @Test("a host's name moves to another address, and its wall clock is wrong for its programs only")
        func nameAndClock() async throws {
            try await HostLab.withHosts(["server", "client"]) { lab in
                let (server, client) = (try lab["server"], try lab["client"])
                let resolve = { try await client.system("/usr/bin/getent", "hosts", "server") }
                #expect(try await resolve().hasPrefix("10.77.0.1 "))
                try await lab.begin(.moved, at: server)
                #expect(try await resolve().hasPrefix("10.77.1.1 "))
                try await lab.end(.moved, at: server)
                #expect(try await resolve().hasPrefix("10.77.0.1 "))
                let now = { try #require(Int(try await server.system("/bin/date", "+%s").dropLast())) }
                for (fault, shift) in [(HostFault.clockAhead, 600), (.clockBehind, -600)] {
                    try await lab.begin(fault, at: server)
                    #expect(abs(try await now() - time(nil) - shift) <= 2)
                }
                try await lab.end(.clockBehind, at: server)
                #expect(abs(try await now() - time(nil)) <= 2)
            }
        }

        @Test(
            "a client is back soon after a long loss of all packets", .enabled(if: EndToEnd.HostTests.isFull))
        func longLoss() async throws {
            try await Self.withEcho { lab, server, probe in
                try await lab.begin(.blackhole, at: server)
                #expect(try probe.reply(within: .seconds(25)) == nil)
                try await lab.end(.blackhole, at: server)
                let after = try #require(try probe.reply(within: .seconds(60)))
                print(
                    "measured: reply \(after.recovery) after 25 s without packets (≤ \(Self.recoveredWithin))"
                )
                #expect(after.recovery <= Self.recoveredWithin)
            }
        }

        @Test(
            "a client behind a relay survives every fault of a plan", .enabled(if: EndToEnd.HostTests.isFull))
        func everyFault() async throws {
            try await TortureNetwork.with(nodes: ["node-1"], seed: 1) { network in
                try await Self.withEcho(on: try network.hosts["server"], at: "tcp://127.0.0.1:7600") {
                    probe in
                    var generator = SeededGenerator(seed: 1)
                    for fault in NetworkFault.allCases {
                        let what = try await network.strike(fault, using: &generator) {}
                        let after = try probe.reply(within: .seconds(20).slowed)
                        print(
                            "measured: \(fault.name), \(what): \(String(describing: after?.recovery)) after")
                        #expect(try #require(after).recovery <= Self.recoveredWithin.slowed, "\(fault)")
                    }
                }
                print(try network.counts())
            }
        }

        private static func isOfClock(_ fault: HostFault) -> Bool {
            [.clockAhead, .clockBehind].contains(fault)
        }

        private static func isCutting(_ fault: HostFault) -> Bool {
            [.partition, .mute, .deaf, .blackhole].contains(fault)
        }

        private static func show(
            _ fault: HostFault, _ during: (roundTrip: Duration, recovery: Duration)?,
            _ after: (roundTrip: Duration, recovery: Duration)?
        ) {
            let shown = { (time: Duration?) in time.map { "\(Int($0 / .milliseconds(1))) ms" } ?? "none" }
            print(
                "measured: \(fault.rawValue): reply after \(shown(during?.recovery)), "
                    + "and \(shown(after?.recovery)) after its end")
        }

        /// Two hosts, and a client of the first one's echo, which is connected.
        private static func withEcho(
            _ body: @escaping @Sendable (HostLab, Host, EchoProbe) async throws -> Void
        ) async throws {
            try await HostLab.withHosts(["server", "client"]) { lab in
                let server = try lab["server"]
                try await withEcho(on: server, at: "tcp://server:7600") { probe in
                    try #require(try probe.reply(within: .seconds(10).slowed) != nil, "no connection")
                    try await body(lab, server, probe)
                }
            }
        }

        /// An echo on a host, and a client in the test process.
        private static func withEcho(
            on server: Host, at endpoint: String, _ body: @escaping @Sendable (EchoProbe) async throws -> Void
        ) async throws {
            _ = try await server.lab.run(
                "/usr/bin/python3", [HostLab.script("echo.py"), "tcp://0.0.0.0:7600"]
            ) { process in
                defer { kill(process, SIGKILL) }
                let probe = try EchoProbe(to: Endpoint(endpoint))
                defer { probe.end() }
                try await body(probe)
            }
        }
    }
}
