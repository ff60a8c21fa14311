import Bus
import CBench
import CoreParts
import Dispatch
import Foundation

/// Messages from a client through a broker to a device and back, with `Bus` and with libzmq in C.
///
/// Each has a thread, a context and a poll loop.
struct FourHops {
    /// The transport between the threads.
    enum Transport {
        /// Files in the directory.
        case ipc
        /// Loopback ports chosen by the system.
        case tcp
        /// The same, encrypted.
        case curve
    }

    /// The result of a run.
    struct Figures: Sendable, CustomStringConvertible {
        /// Returned messages a second.
        let perSecond: Double
        /// The median round-trip time, microseconds.
        let medianUs: Double

        /// Both as text.
        var description: String { "\(Line.text(perSecond, 0))/s, p50 \(Line.text(medianUs, 1)) µs" }

        /// A result that was measured elsewhere.
        init(perSecond: Double, medianUs: Double) {
            (self.perSecond, self.medianUs) = (perSecond, medianUs)
        }

        /// - Parameters:
        ///   - roundTrips: The round-trip time of each message, nanoseconds.
        ///   - nanoseconds: The time from the first sent message to the last returned one.
        init(roundTrips: [UInt64], nanoseconds: UInt64) {
            perSecond = Double(roundTrips.count) / Double(nanoseconds) * 1e9
            medianUs = Measuring.median(roundTrips.map { Double($0) }) / 1_000
        }
    }

    /// The timeout of a run.
    private static let timeout: Duration = .seconds(20)

    let inFlight: Int
    let messages: Int

    /// Runs with libzmq in C.
    func bare(over transport: Transport = .ipc, in directory: BenchDirectory) throws -> Figures {
        let (clients, devices) =
            switch transport {
            case .ipc: (directory.endpoint("bare-clients"), directory.endpoint("bare-devices"))
            case .tcp, .curve: ("tcp://127.0.0.1:*", "tcp://127.0.0.1:*")
            }
        var roundTrips = [UInt64](repeating: 0, count: messages)
        var nanoseconds: UInt64 = 0
        let failure = bench_bare_four_hops(
            clients, devices, transport == .curve ? 1 : 0, inFlight, messages, &roundTrips, &nanoseconds)
        guard failure == 0 else { throw BenchFailure.bareLibZMQ(failure) }
        return Figures(roundTrips: roundTrips, nanoseconds: nanoseconds)
    }

    /// Runs with `Bus`, over ipc.
    func bus(in directory: BenchDirectory) throws -> Figures {
        let clients = try Endpoint(directory.endpoint("bus-clients"))
        let devices = try Endpoint(directory.endpoint("bus-devices"))
        let isGreeted = DispatchSemaphore(value: 0)
        let broker = try LoopThread(name: "broker") { loop in
            _ = try Broker(loop: loop, clients: clients, devices: devices) { isGreeted.signal() }
        }
        let device = try LoopThread(name: "device") { _ = try EchoDevice(loop: $0, devices: devices) }
        guard isGreeted.wait(timeout: .now() + 5) == .success else { throw BenchFailure.noReply }
        let loop = try Loop(name: "client", context: Context())
        let client = try LoadClient(loop: loop, clients: clients, inFlight: inFlight, messages: messages)
        loop.schedule(after: Self.timeout) { loop.stop() }
        loop.run()
        try device.end()
        try broker.end()
        guard client.roundTrips.count == messages else { throw BenchFailure.noReply }
        return Figures(roundTrips: client.roundTrips, nanoseconds: client.nanoseconds)
    }
}
