import Bus
import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// Clients in the test process whose connections are those of another host.
enum HostClient {
    private typealias EnterNamespace = @convention(c) (Int32, Int32) -> Int32

    /// Calls a function with a client that connects from a host, then closes it.
    static func with<Value: Sendable>(
        on host: Host, of endpoints: FleetClient.Endpoints, name: String, credentials: Credentials? = nil,
        seed: UInt64, locate: FleetClient.CellLocator? = nil, _ work: (FleetClient) async throws -> Value
    ) async throws -> Value {
        let context = try await context(on: host)
        let loop = try Loop.start(name: name, context: context)
        return try await withCleanup {
            let client = try await FleetClient.open(
                endpoints, on: loop, context: context, credentials: credentials,
                clock: { SystemClock().now() }, seed: seed, locate: locate)
            return try await withCleanup {
                try await work(client)
            } cleanup: {
                await client.close()
            }
        } cleanup: {
            await loop.shutdown()
            context.terminate()
        }
    }

    /// A context whose sockets are those of a host.
    ///
    /// libzmq starts its threads, which open all connections, with the first socket, in the network of the
    /// thread that creates it.
    private static func context(on host: Host) async throws -> Context {
        try await Lab.onThread("enter \(host.name)") {
            if !host.entry.isEmpty { try enter("/run/netns/\(host.name)") }
            let context = try Context()
            try Socket(.dealer, context: context, options: .defaults(for: .dealer)).close()
            return context
        }
    }

    /// Moves the calling thread into a network, for the rest of its life.
    private static func enter(_ path: String) throws {
        let symbol = try #require(dlsym(nil, "setns"), "the C library has no setns")
        let enter = unsafeBitCast(symbol, to: EnterNamespace.self)
        let file = open(path, O_RDONLY | O_CLOEXEC)
        try #require(file >= 0, "\(path): errno \(errno)")
        defer { close(file) }
        // 0x40000000 is CLONE_NEWNET.
        try #require(enter(file, 0x4000_0000) == 0, "\(path): errno \(errno)")
    }
}
