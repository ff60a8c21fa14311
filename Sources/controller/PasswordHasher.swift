import Bus
import CSodium
import ControllerCore
import FleetProtocol
import ProcessSupport
import Synchronization

/// Checks and hashes passwords with argon2id, and makes tokens: on one thread of its own, one at a time.
///
/// A hash takes 64 MiB and two passes (libsodium's "interactive" limits, about 56 ms): too long for the loop.
/// Anybody can ask for one, so the thread gives way: a toggle does not wait for a processor that hashes.
final class PasswordHasher: Sendable {
    /// What a check found out, with a fresh token in case somebody gets in by it.
    struct Verdict: Sendable {
        let ticket: UInt64
        let didMatch: Bool
        /// The password's own, where there was none to compare it with.
        let hash: String?
        let token: Token
        let digest: TokenDigest
    }

    /// A password that was hashed.
    struct Hash: Sendable {
        let ticket: UInt64
        let text: String
    }

    private static let operations = UInt64(2)
    private static let memoryBytes = 64 * 1_024 * 1_024

    private let worker: Loop
    /// Checks that are done and were not taken; the machine hands out one check at a time.
    private let verdicts = Mutex<[Verdict]>([])
    /// Hashes that are made and were not taken; one at a time as well.
    private let hashes = Mutex<[Hash]>([])

    /// Starts the thread that hashes.
    ///
    /// - Throws: As ``Loop/start(name:context:)`` does.
    init(context: Context) throws(BusError) {
        precondition(sodium_init() >= 0, "libsodium cannot be set up")
        worker = try Loop.start(name: "password hasher", context: context)
        worker.perform { ThreadPriority.giveWay() }
    }

    /// Ends the thread once it is done with the passwords that it has; none may be handed in after.
    func finish() { worker.stop() }

    /// Checks a password away from the calling thread, and wakes the caller when the verdict can be taken.
    ///
    /// A user who does not exist takes as long as one who does, and so does who shows no password.
    func check(_ check: PasswordCheck, then wake: @escaping @Sendable () -> Void) {
        worker.perform { [self] in
            let text = check.password?.text ?? ""
            var (didMatch, hash) = (false, String?.none)
            if let stored = check.storedHash {
                didMatch = crypto_pwhash_str_verify(stored, text, UInt64(text.utf8.count)) == 0
            } else {
                hash = Self.hash(text)
            }
            let token = Self.makeToken()
            let verdict = Verdict(
                ticket: check.ticket, didMatch: didMatch, hash: hash, token: token,
                digest: Self.digest(of: token))
            verdicts.withLock { $0.append(verdict) }
            wake()
        }
    }

    /// Hashes a password away from the calling thread, and wakes the caller when the hash can be taken.
    func hash(_ hashing: PasswordHashing, then wake: @escaping @Sendable () -> Void) {
        worker.perform { [self] in
            let hash = Hash(ticket: hashing.ticket, text: Self.hash(hashing.password.text))
            hashes.withLock { $0.append(hash) }
            wake()
        }
    }

    /// The hashes since the last call.
    func takeHashes() -> [Hash] {
        hashes.withLock { hashes in
            defer { hashes = [] }
            return hashes
        }
    }

    /// The verdicts since the last call.
    func takeVerdicts() -> [Verdict] {
        verdicts.withLock { verdicts in
            defer { verdicts = [] }
            return verdicts
        }
    }

    /// The argon2id hash of a password, in libsodium's text form.
    static func hash(_ password: String) -> String {
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let result = crypto_pwhash_str_alg(
            &text, password, UInt64(password.utf8.count), operations, memoryBytes,
            crypto_pwhash_ALG_ARGON2ID13)
        precondition(result == 0, "hashing a password needs \(memoryBytes >> 20) MiB of memory")
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// A token that nobody can guess.
    static func makeToken() -> Token {
        var bytes = [UInt8](repeating: 0, count: Token.length)
        randombytes_buf(&bytes, bytes.count)
        guard let token = Token(bytes) else { preconditionFailure("a token is \(Token.length) bytes") }
        return token
    }

    /// Makes a random token, with its digest.
    static func makeFreshToken() -> FreshToken {
        let token = makeToken()
        return FreshToken(token, digest: digest(of: token))
    }

    /// A token's SHA-256: all that the controller keeps of it.
    static func digest(of token: Token) -> TokenDigest {
        var bytes = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        crypto_hash_sha256(&bytes, token.bytes, UInt64(token.bytes.count))
        guard let digest = TokenDigest(bytes) else { preconditionFailure("SHA-256 is 32 bytes") }
        return digest
    }

    /// A password of 16 letters and digits, 95 bits of chance.
    static func makePassword() -> String {
        let alphabet = Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")
        return String((0..<16).map { _ in alphabet[Int(randombytes_uniform(UInt32(alphabet.count)))] })
    }
}
