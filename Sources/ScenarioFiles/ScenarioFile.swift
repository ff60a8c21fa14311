import DeviceCore
import Glibc
import Wording

/// A scenario in a file.
enum ScenarioFile {
    /// The scenario of a file; of one that is too large, no more is read than shows that.
    ///
    /// - Parameter name: What errors call the file.
    /// - Throws: ``ScenarioFileError`` when it cannot be read, or all that is wrong in it.
    static func read(_ path: String, called name: String) throws(ScenarioFileError) -> Scenario {
        let allowed = "a readable file, or one of " + ReadyMadeScenario.names
        let bytes = try bytes(of: path, called: name, allowed)
        return try ScenarioText.parse(bytes, file: name, name: stem(of: path))
    }

    /// The bytes of a file; of one that is too large, one more than is allowed.
    ///
    /// - Parameters:
    ///   - name: What errors call the file.
    ///   - allowed: What may stand in its place, in words.
    static func bytes(
        of path: String, called name: String, _ allowed: String
    ) throws(ScenarioFileError) -> [UInt8] {
        switch contents(of: path, upTo: ScenarioLimits.fileBytes + 1) {
        case .success(let read): return read
        case .failure(let unreadable):
            var findings = Findings()
            findings.add(.file, found: unreadable.reason, allowed: allowed)
            throw findings.error(in: name)
        }
    }

    /// Why a file cannot be read.
    private struct Unreadable: Error {
        let reason: String

        /// What the system said last.
        static var last: Unreadable {
            let number = errno
            return Unreadable(reason: strerror(number).map { String(cString: $0) } ?? "error \(number)")
        }
    }

    private static func contents(of path: String, upTo limit: Int) -> Result<[UInt8], Unreadable> {
        // A pipe without a writer is opened at once, so that it can be refused.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return .failure(.last) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return .failure(.last) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .failure(Unreadable(reason: "what is no regular file"))
        }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &block, min(block.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return .failure(.last) }
            guard count > 0 else { break }
            bytes += block[..<count]
        }
        return .success(bytes)
    }

    /// The file's name without its directory and its ending, fit to be a scenario's.
    private static func stem(of path: String) -> String {
        let file = path.split(separator: "/").last ?? "scenario"
        let stem = file.lastIndex(of: ".").map { file[..<$0] } ?? file
        let safe = SafeText.of(String(stem.prefix(ScenarioLimits.nameCharacters)))
        return safe.isEmpty ? "scenario" : safe
    }
}
