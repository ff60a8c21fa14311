package import Bus
import Glibc

/// Calls a handler when files of a directory change (inotify), until the loop ends.
package final class FileWatch {
    private let descriptor: Int32

    /// Begins to watch; the handler runs on the loop's thread.
    package init(directory: String, on loop: Loop, _ changed: @escaping () -> Void) throws(RuntimeError) {
        descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        let changes = UInt32(IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE)
        guard descriptor >= 0, inotify_add_watch(descriptor, directory, changes) >= 0 else {
            throw .system(operation: "watch", path: directory, errno: errno)
        }
        loop.register(fileDescriptor: descriptor) { [descriptor] in
            var events = [UInt8](repeating: 0, count: 4_096)
            while read(descriptor, &events, events.count) > 0 {}
            changed()
        }
    }

    deinit { close(descriptor) }
}
