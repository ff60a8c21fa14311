import Foundation
import Testing

extension EndToEnd {
    /// Fleets over several hosts; `Tests/in-namespaces` runs them.
    ///
    /// The environment variable `SENSIBUS_HOSTS` selects the full run.
    @Suite("Hosts")
    struct HostTests {
        static let isFull = ProcessInfo.processInfo.environment["SENSIBUS_HOSTS"] != nil
    }
}
