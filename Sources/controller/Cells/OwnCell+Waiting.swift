import Bus
import Glibc
import Logging
import ProcessSupport

extension OwnCell {
    /// The pause between two looks for the files.
    private static let lookMilliseconds: Int32 = 500

    /// Waits until the list and the secret of the cells exist; meanwhile the log has the key for the list.
    ///
    /// - Returns: False after a stop signal.
    /// - Throws: As ``PeerFiles/serverKeys()``.
    func awaitFiles(
        in directory: RunDirectory, until signals: StopSignals, logger: Logger
    ) throws(RuntimeError) -> Bool {
        let files = [list, CellSecret.file(beside: list, environment: Environment.current)]
        var missing: [String] { files.filter { access($0, R_OK) != 0 } }
        if missing.isEmpty { return true }
        let key = try PeerFiles(of: directory).serverKeys().publicKey
        logger.notice(
            "waiting for the list and the secret of the cells",
            metadata: ["missing": "\(missing)", "cell": "\(name)", "key": "\(key)"])
        while !missing.isEmpty {
            var descriptor = pollfd(fd: signals.fileDescriptor, events: Int16(POLLIN), revents: 0)
            if poll(&descriptor, 1, Self.lookMilliseconds) > 0, signals.read() != nil { return false }
        }
        return true
    }
}
