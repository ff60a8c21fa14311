import Glibc
public import Logging

/// The processes of a fleet that began to serve, each as a file with its ID: so the supervisor knows whether
/// one that died had served before.
extension RunDirectory {
    private func serviceFile(of name: String) -> String { "\(path)/\(name).serving" }

    /// Notes that the calling process serves.
    ///
    /// - Parameter name: The process's name in the fleet, such as `controller`.
    /// - Throws: As ``OwnFile/open(_:_:)``, or `system` where the file cannot be written.
    public func noteService(of name: String) throws(RuntimeError) {
        let path = serviceFile(of: name)
        let descriptor = try OwnFile.open(path, O_RDWR | O_CREAT)
        defer { close(descriptor) }
        try ProcessIDLine.write(to: descriptor, path: path)
    }

    /// Notes that the calling process serves, if it has a supervisor.
    ///
    /// Without the note the supervisor waits before it starts the process again.
    ///
    /// - Parameter logger: Logs a note that cannot be written.
    public func noteService(of name: String, under supervisor: ParentWatch, _ logger: Logger? = nil) {
        guard supervisor.expectedParent != nil else { return }
        do throws(RuntimeError) {
            try noteService(of: name)
        } catch {
            logger?.warning("service not noted", metadata: ["reason": "\(error)"])
        }
    }

    /// Whether the process with that name and ID had begun to serve; false where its file cannot be read.
    public func hasServed(_ name: String, as processID: Int32) -> Bool {
        do throws(RuntimeError) {
            let descriptor = try OwnFile.open(serviceFile(of: name), O_RDONLY)
            defer { close(descriptor) }
            return ProcessIDLine.read(from: descriptor) == processID
        } catch {
            return false
        }
    }
}
