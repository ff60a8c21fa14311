import ProcessSupport

/// A copy of a node's memory, of the length in the memory's witness.
///
/// The witness is not copied, because the copy of a growing memory may end within a batch. Without a witness,
/// a lost end looks like the torn end of a killed process, so a memory that has lost its end is refused here.
struct MemoryCopy {
    /// The maximum number of attempts to read a witness that is being written.
    private static let tries = 5

    private static let advice = "start the fleet: the node's log says what can be done"

    let path: String

    /// Writes the copy.
    ///
    /// - Parameter copy: The path of the copy.
    /// - Returns: The length and the digest; nil if the memory is missing.
    /// - Throws: `CommandFailure` for a memory without its end, and the errors of ``FileCopy/make(of:at:)``.
    func make(at copy: String) throws -> FileCopy? {
        var recorded = try recorded()
        while true {
            guard let made = try FileCopy.make(of: path, at: copy) else { return nil }
            guard let mark = recorded, !mark.isLossPossible, made.bytes < mark.number else { return made }
            // A node that rewrites its memory replaces a longer file by a shorter one.
            recorded = try self.recorded()
            guard recorded != mark else {
                throw CommandFailure(
                    .refused, "\(path) is damaged: it has \(made.bytes) of \(mark.number) bytes",
                    advice: Self.advice)
            }
        }
    }

    /// The witness's last mark; nil before the first, and without a witness.
    private func recorded() throws -> WitnessMark? {
        let witness = "\(path).witness"
        var attempts = 0
        while true {
            do {
                attempts += 1
                return try mark(in: witness)
            } catch let error as RuntimeError {
                throw error
            } catch {
                // A slot that is being written does not match its checksum.
                guard attempts == Self.tries else { continue }
                throw CommandFailure(.refused, "\(witness) is damaged: \(error)", advice: Self.advice)
            }
        }
    }

    private func mark(in witness: String) throws -> WitnessMark? {
        var bytes: [UInt8] = []
        guard try GrowingFile.read(witness, { bytes += $0 }) else { return nil }
        return try WitnessMark.mark(in: bytes[...])
    }
}
