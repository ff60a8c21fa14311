import Bus
import DeviceCore
import Logging
import ProcessSupport

/// The changes of users to the devices of a run directory: read at the start, and again when they change.
final class DeviceRegisterWatch {
    private let directory: RunDirectory
    private let logger: Logger
    private var known: DeviceRegister
    private var watch: FileWatch?

    init(of directory: RunDirectory, _ logger: Logger) throws(RuntimeError) {
        (self.directory, self.logger) = (directory, logger)
        known = try directory.deviceRegister()
    }

    var changes: DeviceChanges { DeviceChanges(names: known.names, removed: known.removed) }

    /// Passes changes to a handler on the loop's thread, until the loop ends.
    func begin(on loop: Loop, _ changed: @escaping (DeviceChanges) -> Void) throws(RuntimeError) {
        watch = try FileWatch(directory: directory.root, on: loop) { [self] in
            if read() { changed(changes) }
        }
        // A change between the first reading and the watch is not missed.
        if read() { changed(changes) }
    }

    /// Reads the file again; returns whether it has changed.
    private func read() -> Bool {
        do {
            let register = try directory.deviceRegister()
            guard register != known else { return false }
            known = register
            logger.info("names and removed devices were read again")
            return true
        } catch {
            logger.error("names and removed devices cannot be read", metadata: ["reason": "\(error)"])
            return false
        }
    }
}
