import FoundationEssentials
import Glibc

/// The directories and symbolic links that lead to a file.
///
/// A user who may rename an entry of one of these directories can put another file in the place of the one
/// that was checked. So each directory and link must belong to root or the process's user. A directory that
/// others may write to must have the sticky bit, as `/tmp` has: there they cannot rename what is not theirs.
/// The process's own group may write, since on many systems each user has a group of their own.
struct TrustedPath {
    /// The maximum number of symbolic links on one path, as in Linux.
    private static let linkLimit = 40

    /// An absolute path without `..`.
    let path: String
    /// The directories and links still to be checked, the next one last.
    private var ahead: [String]
    private var place = "/"
    private var links = 0

    private init(to path: String) {
        self.path = path
        ahead = Self.components(of: path).dropLast().reversed()
    }

    /// Refuses an absolute path without `..` on which another user could replace the file at its end. The
    /// check ends without an error at a missing directory: opening the path fails there.
    static func check(leadingTo path: String) throws(RuntimeError) {
        var way = TrustedPath(to: path)
        try way.walk()
    }

    private mutating func walk() throws(RuntimeError) {
        try checkDirectory(place)
        while let name = ahead.popLast() {
            if name == ".." {
                place = Self.parent(of: place)
                continue
            }
            let next = place == "/" ? "/\(name)" : "\(place)/\(name)"
            guard let status = FileStatus(of: next) else { return }
            guard status.isSymbolicLink else {
                try checkDirectory(next)
                place = next
                continue
            }
            try checkOwner(status, of: next)
            try follow(next)
        }
    }

    /// Replaces a link by the components of its target.
    private mutating func follow(_ link: String) throws(RuntimeError) {
        links += 1
        guard links <= Self.linkLimit else { throw .system(operation: "follow", path: path, errno: ELOOP) }
        let target: String
        do {
            target = try FileManager.default.destinationOfSymbolicLink(atPath: link)
        } catch {
            throw .system(operation: "follow", path: link, errno: ENOENT)
        }
        if target.hasPrefix("/") { place = "/" }
        ahead += Self.components(of: target).reversed()
    }

    private func checkDirectory(_ directory: String) throws(RuntimeError) {
        guard let status = FileStatus(of: directory) else { return }
        try checkOwner(status, of: directory)
        let writers = status.permissions & (status.group == getegid() ? 0o002 : 0o022)
        guard writers == 0 || status.isSticky else {
            throw .writableParent(of: path, directory: directory, mode: status.permissions)
        }
    }

    private func checkOwner(_ status: FileStatus, of directory: String) throws(RuntimeError) {
        guard status.owner == 0 || status.owner == geteuid() else {
            throw .foreignParent(of: path, directory: directory, owner: status.owner)
        }
    }

    private static func components(of path: String) -> [String] {
        path.split(separator: "/").filter { $0 != "." }.map(String.init)
    }

    private static func parent(of directory: String) -> String {
        let end = directory.lastIndex(of: "/") ?? directory.startIndex
        return end == directory.startIndex ? "/" : String(directory[..<end])
    }
}
