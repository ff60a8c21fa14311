import Glibc

/// The locks of the machine as `/proc/locks` lists them.
///
/// Looking there takes no lock: a process that starts at that moment is not kept from it.
struct LockTable: Sendable {
    private var holders: [String: Int32] = [:]

    /// The table in that text: lines such as `1: FLOCK  ADVISORY  WRITE 1234 08:01:5678 0 EOF`.
    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            // A line with an arrow is of somebody who waits.
            guard words.count >= 6, words[1] == "FLOCK", let holder = Int32(words[4]) else { continue }
            let file = words[5].split(separator: ":")
            if let inode = file.last { holders[String(inode)] = holder }
        }
    }

    /// The process that holds the file at a path now; nil for none.
    static func holder(of path: String) -> Int32? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return LockTable(SystemFile.text(of: "/proc/locks")).holder(ofInode: UInt64(status.st_ino))
    }

    /// The process that holds the file of that inode; nil for none.
    func holder(ofInode inode: UInt64) -> Int32? { holders[String(inode)] }
}
