import ObserverCore
import ProcessSupport

extension FleetAddress {
    /// Reads the address that a fleet wrote to its run directory; unreadable files count as missing.
    init(in directory: RunDirectory) {
        self.init(
            page: Self.text { () throws(RuntimeError) in try directory.gatewayURL() },
            email: RunDirectory.demoEmail,
            password: Self.text { () throws(RuntimeError) in try directory.readDemoPassword() },
            runDirectory: directory.path)
    }

    private static func text(_ read: () throws(RuntimeError) -> String?) -> String? {
        do throws(RuntimeError) {
            return try read()
        } catch {
            return nil
        }
    }
}
