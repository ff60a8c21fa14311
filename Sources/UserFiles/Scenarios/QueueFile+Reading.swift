extension QueueFile {
    /// Reads the command queue of a file.
    ///
    /// - Parameters:
    ///   - path: The path; a relative one starts at the working directory.
    ///   - directory: The absolute path of the working directory.
    /// - Throws: ``InvalidFile`` if it cannot be read, or with all problems in it.
    public init(_ path: String, relativeTo directory: String) throws(InvalidFile) {
        let absolute = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        let bytes = try FileContents.bytes(
            of: absolute, called: path, "name a readable file with a command queue")
        try self.init(bytes, file: path)
    }
}
