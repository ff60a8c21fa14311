internal import CSodium
import FleetProtocol

/// The SHA-256 of bytes that come in parts.
struct FileDigest {
    private var state = crypto_hash_sha256_state()

    init() {
        precondition(sodium_init() >= 0, "libsodium cannot be set up")
        crypto_hash_sha256_init(&state)
    }

    /// Takes the next part.
    mutating func take(_ part: ArraySlice<UInt8>) {
        crypto_hash_sha256_update(&state, Array(part), UInt64(part.count))
    }

    /// The digest of all parts, as 64 hexadecimal digits: what `sha256sum` prints.
    consuming func finish() -> String {
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256_final(&state, &digest)
        return digest.hexadecimal
    }
}
