import Glibc

/// The most memory that a process may have: beyond it the process ends, and starts again from its files.
///
/// Other bounds limit the memory that peers can take. This one is for mistakes in them.
public struct MemoryLimit: Hashable, Sendable {
    /// The limits that may be asked for, in MiB.
    public static let allowed = 64...1 << 20
    /// The same, for help texts.
    public static let words = "64M to 1024G"
    /// The limit of a process that is given none: ten times what a controller has for a million devices.
    public static let standard = MemoryLimit(mebibytes: 2_048)

    /// The limit.
    public let mebibytes: Int

    private init(mebibytes: Int) {
        self.mebibytes = mebibytes
    }

    /// The limit that a text spells, such as `512M` or `2G`.
    ///
    /// - Throws: `invalidMemoryLimit`.
    public static func named(_ text: String) throws(RuntimeError) -> MemoryLimit {
        let factors = ["M": 1, "G": 1_024]
        guard let factor = factors[text.suffix(1).uppercased()], let number = Int(text.dropLast()),
            1...allowed.upperBound ~= number, allowed ~= number * factor
        else { throw .invalidMemoryLimit(text: text) }
        return MemoryLimit(mebibytes: number * factor)
    }

    /// The text that spells it.
    public var argument: String { "\(mebibytes)M" }

    /// Looks whether this process has more.
    ///
    /// - Throws: `tooMuchMemory`, or `system` when the system does not say.
    public func check() throws(RuntimeError) {
        let inUse = try Self.mebibytesInUse()
        guard inUse <= mebibytes else { throw .tooMuchMemory(inUse: inUse, limit: mebibytes) }
    }

    /// The memory that this process has for itself: of a file's pages the system can take back those that
    /// were not changed.
    static func mebibytesInUse() throws(RuntimeError) -> Int {
        let path = "/proc/self/statm"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .lastError("open", path) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = read(descriptor, &bytes, bytes.count)
        guard count > 0 else { throw .lastError("read", path) }
        // Pages: of the address space, resident, and resident but a file's or shared.
        let pages = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ").prefix(3)
            .compactMap { Int($0) }
        guard pages.count == 3 else { throw .system(operation: "understand", path: path, errno: EINVAL) }
        return ((pages[1] - pages[2]) * sysconf(Int32(_SC_PAGESIZE))) >> 20
    }
}
