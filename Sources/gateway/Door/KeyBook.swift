import FleetProtocol
import GatewayCore
import Logging
import Runtime
import Stepping

/// Which request each key of a client stands for, also after the gateway was started again.
///
/// A key is in its file before the request leaves. The file is opened with the first key.
actor KeyBook {
    /// How long a client waits when a key cannot be written down now.
    private static let pause: Duration = .seconds(1)

    private let directory: RunDirectory
    private let clock: @Sendable () -> Moment
    private let logger = Logger(label: "gateway")
    private var table = KeyedRequests()
    private var file: KeyFile?

    /// The keys of a run directory.
    init(in directory: RunDirectory, clock: @escaping @Sendable () -> Moment) {
        (self.directory, self.clock) = (directory, clock)
    }

    /// Names a request, and writes its key down if that is new.
    ///
    /// - Throws: ``APIError/busy(retryAfter:)`` where the table or the disk is full, and
    ///   ``APIError/broken(_:)`` where it cannot be written.
    func claim(_ entry: KeyedRequests.Entry) throws(APIError) -> KeyedRequests.Claim {
        do {
            if file == nil { file = try KeyFile(in: directory, into: &table, at: clock()) }
            let claim = table.claim(entry, at: clock().wall)
            guard claim == .new else { return claim }
            if try file?.append(entry, of: table) ?? false { return .new }
            table.takeBack(entry)
            return .full(retryAfter: Self.pause)
        } catch {
            table.takeBack(entry)
            logger.error("idempotency key not written", metadata: ["error": "\(error)"])
            throw .broken(
                "the Idempotency-Key cannot be written down: see the gateway's log. Nothing was done.")
        }
    }
}
