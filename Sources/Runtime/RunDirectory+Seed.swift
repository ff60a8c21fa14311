import FoundationEssentials

/// The seed of the fleet to which the stored state of a run directory belongs: the ids of its devices follow
/// from it.
extension RunDirectory {
    /// The name of the file with the seed, which a backup copies.
    public static let seedFileName = "seed"

    private var seedFile: PrivateFile { PrivateFile(path: "\(path)/\(Self.seedFileName)") }

    /// Writes the seed of the fleet that starts here, unless devices of another one are remembered.
    ///
    /// - Throws: `otherSeed` for remembered devices of another seed, and `system` with the call that failed.
    public func claim(seed: UInt64) throws(RuntimeError) {
        let former = try seedFile.read().flatMap {
            UInt64(String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
        }
        guard former != seed else { return }
        if let former, hasMemory { throw .otherSeed(path: path, former: former, wanted: seed) }
        try seedFile.replace(with: Array("\(seed)\n".utf8))
    }

    /// Whether a node has stored the memory of devices here.
    private var hasMemory: Bool {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: memoryDirectory)
                .contains { $0.hasSuffix(".entries") }
        } catch {
            return false
        }
    }
}
