import Glibc

/// The resources of this process.
enum ProcessUse {
    /// The resident memory in bytes: VmRSS.
    static func residentBytes() throws -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { throw SystemFailure(errno: errno) }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, Int32(line.count), file) != nil else { throw SystemFailure(errno: errno) }
        let text = String(decoding: line.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let numbers = text.split(separator: " ")
        guard numbers.count > 1, let pages = Int(numbers[1]) else { throw SystemFailure(errno: EINVAL) }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The number of open descriptors, including the one that counts them.
    static func descriptorCount() throws -> Int {
        guard let directory = opendir("/proc/self/fd") else { throw SystemFailure(errno: errno) }
        defer { closedir(directory) }
        var count = 0
        while readdir(directory) != nil { count += 1 }
        return count - 2
    }
}
