package import FoundationEssentials
import Glibc

/// Makes a system call again while signals interrupt it.
package func uninterrupted(_ call: () -> Int) -> Int {
    var result = call()
    while result < 0 && errno == EINTR { result = call() }
    return result
}

extension Encodable {
    /// The value as JSON on several lines, with sorted keys, for a file; its type always encodes.
    package func jsonLines(_ more: JSONEncoder.OutputFormatting = []) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = more.union([.prettyPrinted, .sortedKeys])
        // The error may quote a secret.
        guard let content = try? encoder.encode(self) else {
            preconditionFailure("\(Self.self) always encodes")
        }
        return Array(content) + Array("\n".utf8)
    }
}
