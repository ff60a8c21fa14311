internal import CZMQ

/// The public key of a peer that authenticates itself with CURVE (rfc.zeromq.org/spec/26).
public struct CurvePublicKey: Hashable, Sendable, CustomStringConvertible {
    /// The number of bytes of a public key, and of a secret one.
    public static let byteCount = 32

    /// The bytes of the key.
    public let bytes: [UInt8]

    /// A key with the given bytes; nil unless there are ``byteCount``.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.bytes = bytes
    }

    /// A key in 64 hexadecimal digits; nil for any other text.
    public init?(hexadecimal text: String) {
        self.init(hexadecimalDigits: text.utf8)
    }

    /// A key in 64 hexadecimal digits of ASCII; nil for any other text.
    init?(hexadecimalDigits digits: some Collection<UInt8>) {
        guard digits.count == 2 * Self.byteCount else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        var high: UInt8?
        for digit in digits {
            guard let value = CurveText.value(ofHexadecimalDigit: digit) else { return nil }
            if let first = high { bytes.append(first << 4 | value) }
            high = high == nil ? value : nil
        }
        self.bytes = bytes
    }

    /// The key in 64 lowercase hexadecimal digits.
    public var description: String { CurveText.hexadecimal(bytes) }
}

/// A public key with its secret key, which proves to others that a peer has the public one.
///
/// The description shows the public key only.
public struct CurveKeyPair: Hashable, Sendable, CustomStringConvertible {
    /// The key that others may see.
    public let publicKey: CurvePublicKey
    /// The bytes of the secret key.
    public let secretKey: [UInt8]

    /// The pair of a secret key, whose public key is computed.
    ///
    /// - Throws: `invalidArgument` unless there are ``CurvePublicKey/byteCount`` bytes, or `notSupported` if
    ///   libzmq was built without CURVE.
    public init(secretKey: [UInt8]) throws(BusError) {
        let operation = "compute a public key"
        guard secretKey.count == CurvePublicKey.byteCount else {
            throw BusError(.invalidArgument, context: "\(operation) from \(secretKey.count) bytes")
        }
        var text = CurveText.empty
        guard zmq_curve_public(&text, CurveText.z85(secretKey)) == 0 else { throw .last(operation) }
        guard let key = CurvePublicKey(CurveText.bytes(z85: text)) else {
            preconditionFailure("a key has 32 bytes")
        }
        (publicKey, self.secretKey) = (key, secretKey)
    }

    /// Returns a new random pair.
    ///
    /// - Throws: `notSupported` if libzmq was built without CURVE.
    public static func generate() throws(BusError) -> CurveKeyPair {
        var (open, secret) = (CurveText.empty, CurveText.empty)
        guard zmq_curve_keypair(&open, &secret) == 0 else { throw .last("generate a key") }
        return try CurveKeyPair(secretKey: CurveText.bytes(z85: secret))
    }

    /// The public key; never the secret one.
    public var description: String { publicKey.description }
}

/// The texts of keys: hexadecimal digits, and libzmq's Z85 (rfc.zeromq.org/spec/32).
private enum CurveText {
    /// Space for a key in Z85, with the terminating zero.
    static let empty = [CChar](repeating: 0, count: 41)

    static func z85(_ key: [UInt8]) -> [CChar] {
        var text = empty
        // 32 bytes have 40 characters and a zero, for which there is space.
        precondition(zmq_z85_encode(&text, key, key.count) != nil, "a key has \(key.count) bytes")
        return text
    }

    static func bytes(z85 text: [CChar]) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: CurvePublicKey.byteCount)
        precondition(zmq_z85_decode(&bytes, text) != nil, "libzmq returned a key that is not Z85")
        return bytes
    }

    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static func value(ofHexadecimalDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
