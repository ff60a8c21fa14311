extension QueueFile {
    /// Reads the command queue of a file; a relative path starts at the working directory.
    public init(_ path: String, relativeTo directory: String) throws(InvalidFile) {
        let absolute = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        let bytes = try FileContents.bytes(
            of: absolute, called: path, "name a readable file with a command queue")
        try self.init(bytes, file: path)
    }
}
