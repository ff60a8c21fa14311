import ProcessSupport

/// A copy of a node's memory that is as long as the memory's witness says.
///
/// The witness is not copied, since the copy of a memory that grows may end within a batch. Without it a lost
/// end looks like the torn end of a killed process, so a memory that has lost its end is refused here.
struct MemoryCopy {
    /// The most attempts to read a witness that is written at the same moment.
    private static let tries = 5

    private static let advice = "start the fleet: the log of the node says what can be done"

    /// Where the memory is.
    let path: String

    /// Makes the copy.
    ///
    /// - Parameter copy: Where it is to be.
    /// - Returns: The length and the digest; nil for a missing file.
    /// - Throws: `CommandFailure` for a memory without its end, and as ``FileCopy/make(of:at:)``.
    func make(at copy: String) throws -> FileCopy? {
        var noted = try noted()
        while true {
            guard let made = try FileCopy.make(of: path, at: copy) else { return nil }
            guard let mark = noted, !mark.isLossPossible, made.bytes < mark.number else { return made }
            // A node that writes its memory again puts a shorter file in the place of a longer one.
            noted = try self.noted()
            guard noted != mark else {
                throw CommandFailure(
                    .refused, "\(path) is damaged: it has \(made.bytes) of \(mark.number) bytes",
                    advice: Self.advice)
            }
        }
    }

    /// The witness's last note; nil before the first, and where there is no witness.
    private func noted() throws -> WitnessMark? {
        let witness = "\(path).witness"
        var attempts = 0
        while true {
            do {
                attempts += 1
                return try mark(in: witness)
            } catch let error as RuntimeError {
                throw error
            } catch {
                // A slot that is written while it is read does not fit its checksum.
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
