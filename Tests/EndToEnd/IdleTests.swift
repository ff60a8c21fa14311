import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// The system calls of an idle fleet, counted with `strace`.
    ///
    /// `Benchmarks/idle-fleet` measures processor time on a quiet machine. The number of wake-ups is the
    /// same on every machine.
    @Suite("An idle fleet", .enabled(if: Tracing.isAllowed, "\(Tracing.notAllowed)"))
    struct IdleTests {
        /// The time during which calls are counted, in seconds, and the number of counts.
        ///
        /// The lowest count is judged: the rest of a fleet's start, and clients that disconnect, only add
        /// calls.
        private static let counted = 2
        private static let counts = 3
        /// The maximum calls per second.
        ///
        /// With a 50 ms tick, five requests to the supervisor a second and heartbeats every 500 ms, a gateway
        /// made 640, a controller 270 and a node 110. Since then a node reads the claim on its memory before
        /// it sends, 8 calls.
        private static let callsAtMost = ["gateway": 200.0, "controller": 180, "node-1": 104]

        @Test("gateway, controller and node of an idle fleet make few system calls")
        func calls() async throws {
            try await Lab.withFleet(devices: 100, gateway: true) { lab in
                #expect(try await lab.devices().count == 100)
                for (name, bound) in Self.callsAtMost.sorted(by: { $0.key < $1.key }) {
                    let process = try await lab.processID(name)
                    var rates: [Double] = []
                    for _ in 0..<Self.counts { rates.append(try await Self.calls(of: process, lab)) }
                    let rate = try #require(rates.min())
                    print("measured: idle \(name): \(Int(rate)) system calls/s (≤ \(Int(bound)))")
                    #expect(rate > 0 && rate <= bound, "\(name)")
                }
            }
        }

        /// The mean number of system calls of a process per second.
        private static func calls(of process: Int32, _ lab: Lab) async throws -> Double {
            let arguments = ["\(counted)", "/usr/bin/strace", "-f", "-c", "-o", "idle", "-p", "\(process)"]
            let traced = try await lab.run("/usr/bin/timeout", arguments)
            let table = try lab.read("idle")
            let total = try #require(
                table.split(separator: "\n").last { $0.hasSuffix(" total") }, "\(traced.talk)")
            let calls = try #require(Int(total.split(separator: " ")[3]), "\(total)")
            return Double(calls) / Double(counted)
        }
    }
}
