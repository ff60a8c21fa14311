import Foundation

/// Damage to a file that no process has open.
package enum FileDamage: CaseIterable, Sendable {
    case removed, halved, cut, flipped

    /// The choices for random damage: a changed bit is the hardest to detect.
    package static let random: [FileDamage] = [.removed, .cut, .flipped, .flipped]

    /// Damages a file; `place` is from 0 up to 1, a relative position in the file.
    package func strike(_ path: String, at place: Double) throws {
        guard self != .removed else { return try FileManager.default.removeItem(atPath: path) }
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        guard !bytes.isEmpty else { return }
        let index = Int(place * Double(bytes.count))
        switch self {
        case .removed: break
        case .halved: bytes.removeLast(bytes.count - bytes.count / 2)
        case .cut: bytes.removeLast(bytes.count - index)
        case .flipped: bytes[index] ^= 1 << UInt8(Int(place * 8_191) % 8)
        }
        try Data(bytes).write(to: URL(filePath: path))
    }

    /// The name of a damaged file in an error: that of the database, if it is a part of one.
    package static func reportedName(_ file: String) -> String {
        file.hasSuffix("-wal") || file.hasSuffix("-shm") ? String(file.dropLast(4)) : file
    }

    /// Every file below a directory, by its path there, without sockets.
    package static func files(in directory: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: directory).filter { name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(name)")
            return attributes[.type] as? FileAttributeType == .typeRegular
        }.sorted()
    }
}
