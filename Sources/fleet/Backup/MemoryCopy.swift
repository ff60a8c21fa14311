import ProcessSupport

/// A copy of a node's memory, of the length in the memory's witness at least, and of the witness.
///
/// The mark of the witness is read first, so the copy of a growing memory reaches it. A memory that has lost
/// its end is refused here.
struct MemoryCopy {
    /// The maximum number of attempts to read a witness that is being written.
    private static let tries = 5

    private static let advice = "start the fleet: the node's log says what can be done"

    /// What the name of a witness has after that of the memory.
    private static let suffix = ".witness"

    let path: String

    /// Writes the copy.
    ///
    /// - Parameter copy: The path of the copy.
    /// - Returns: The copies of the memory and of its witness; empty if the memory is missing.
    /// - Throws: `CommandFailure` for a memory without its end, and the errors of ``FileCopy/make(of:at:)``.
    func make(at copy: String) throws -> [(suffix: String, copy: FileCopy)] {
        var recorded = try recorded()
        while true {
            guard let made = try FileCopy.make(of: path, at: copy) else { return [] }
            guard let mark = recorded else { return [("", made)] }
            guard !mark.isLossPossible, made.bytes < mark.number else {
                try SlotFile.make([WitnessMark.slot(mark)], at: "\(copy)\(Self.suffix)")
                guard let witness = try FileCopy.described("\(copy)\(Self.suffix)") else {
                    return [("", made)]
                }
                return [("", made), (Self.suffix, witness)]
            }
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
        let witness = path + Self.suffix
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
        return try WitnessMark.mark(in: bytes.prefix(SlotFile.slotBytes))
    }
}
