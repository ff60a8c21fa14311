import CSodium
package import ControllerCore
package import FleetProtocol

extension Token {
    /// A random token that no other process can guess.
    package static func make() -> Token {
        var bytes = [UInt8](repeating: 0, count: length)
        randombytes_buf(&bytes, bytes.count)
        guard let token = Token(bytes) else { preconditionFailure("a token is \(length) bytes") }
        return token
    }

    /// The SHA-256 digest, which the controller stores in place of the token.
    package var digest: TokenDigest {
        var hash = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&hash, bytes, UInt64(bytes.count))
        guard let digest = TokenDigest(hash) else { preconditionFailure("SHA-256 is 32 bytes") }
        return digest
    }
}

extension FreshToken {
    /// A random token with its digest.
    package static func make() -> FreshToken {
        let token = Token.make()
        return FreshToken(token, digest: token.digest)
    }
}
