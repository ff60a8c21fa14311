import Bus
import CSodium
import ControllerCore
import ControllerSupport
import FleetProtocol
import ProcessSupport
import Synchronization

/// The digests of tokens; that of the last one is stored, because a client sends its token with each request.
struct TokenDigester {
    private var last: (token: Token, digest: TokenDigest)?

    mutating func digest(of token: Token) -> TokenDigest {
        // The comparison takes as long for each token, so that its duration does not tell how many bytes of a
        // guess were right.
        if let last, sodium_memcmp(last.token.bytes, token.bytes, Token.length) == 0 { return last.digest }
        let digest = token.digest
        last = (token, digest)
        return digest
    }
}

/// Checks and hashes passwords with argon2id, and creates tokens, on its own thread, one at a time. A hash
/// takes 64 MiB and two passes (libsodium's "interactive" limits, about 56 ms): too long for the loop. Any
/// client can request one, so the thread runs at low priority: hashing cannot delay toggles.
final class PasswordHasher: Sendable {
    struct HashResult: Sendable {
        let ticket: UInt64
        let didMatch: Bool
        /// The hash of the password, if there was none to compare it with.
        let hash: String?
        let token: Token
        let digest: TokenDigest
    }

    struct Hash: Sendable {
        let ticket: UInt64
        let text: String
    }

    private static let operations = UInt64(2)
    private static let memoryBytes = 64 * 1_024 * 1_024

    private let worker: Loop
    /// The finished checks that were not taken; the controller requests one check at a time.
    private let hashResults = Mutex<[HashResult]>([])
    /// The finished hashes that were not taken; also one at a time.
    private let hashes = Mutex<[Hash]>([])

    init(context: Context) throws(BusError) {
        precondition(sodium_init() >= 0, "libsodium cannot be set up")
        worker = try Loop.start(name: "password hasher", context: context)
        worker.perform { ThreadPriority.giveWay() }
    }

    /// Ends the thread after its queued passwords; no more may be queued.
    func finish() { worker.stop() }

    /// Checks a password on the hashing thread, and wakes the caller when the result is ready. The check
    /// takes as long for an unknown user, and for a request without a password.
    func check(_ check: PasswordCheck, then wake: @escaping @Sendable () -> Void) {
        worker.perform { [self] in
            let text = check.password?.text ?? ""
            var (didMatch, hash) = (false, String?.none)
            if let stored = check.storedHash {
                didMatch = crypto_pwhash_str_verify(stored, text, UInt64(text.utf8.count)) == 0
            } else {
                hash = Self.hash(text)
            }
            let token = Token.make()
            let hashResult = HashResult(
                ticket: check.ticket, didMatch: didMatch, hash: hash, token: token,
                digest: token.digest)
            hashResults.withLock { $0.append(hashResult) }
            wake()
        }
    }

    /// Hashes a password on the hashing thread, and wakes the caller when the hash is ready.
    func hash(_ hashing: PasswordHashing, then wake: @escaping @Sendable () -> Void) {
        worker.perform { [self] in
            let hash = Hash(ticket: hashing.ticket, text: Self.hash(hashing.password.text))
            hashes.withLock { $0.append(hash) }
            wake()
        }
    }

    func drainHashes() -> [Hash] {
        hashes.withLock { hashes in
            defer { hashes = [] }
            return hashes
        }
    }

    func drainResults() -> [HashResult] {
        hashResults.withLock { hashResults in
            defer { hashResults = [] }
            return hashResults
        }
    }

    /// Returns the argon2id hash of a password, in libsodium's text format.
    static func hash(_ password: String) -> String {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let result = crypto_pwhash_str_alg(
            &text, password, UInt64(password.utf8.count), operations, memoryBytes,
            crypto_pwhash_ALG_ARGON2ID13)
        precondition(result == 0, "hashing a password needs \(memoryBytes >> 20) MiB of memory")
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Creates a password of 16 random letters and digits, with 95 bits of entropy.
    static func makePassword() -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
        return String((0..<16).map { _ in alphabet[Int(randombytes_uniform(UInt32(alphabet.count)))] })
    }
}
