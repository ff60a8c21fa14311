import CSodium
import FleetProtocol

/// A key as it is shown, once, to whoever made it.
struct Secret {
    private let bytes: [UInt8]

    /// One that nobody can guess: 32 random bytes.
    init() {
        precondition(sodium_init() >= 0, "libsodium finds no source of randomness")
        var bytes = [UInt8](repeating: 0, count: Token.length)
        randombytes_buf(&bytes, bytes.count)
        self.bytes = bytes
    }

    /// 64 hexadecimal digits, as a client shows them.
    var text: String { bytes.hexadecimal }

    /// What the controller knows it by.
    var digest: TokenDigest {
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        guard let digest = TokenDigest(hash) else { preconditionFailure("SHA-256 is 32 bytes") }
        return digest
    }
}
