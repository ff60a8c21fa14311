package import Bus
import CSodium
import SystemPackage

/// A connection whose peer follows CURVE (rfc.zeromq.org/spec/26) as far as the test does, and then sends
/// frames of any form.
package final class RawCurvePeer {
    package let connection: RawConnection
    private let server: [UInt8]
    private let own: CurveKeyPair
    private let short: CurveKeyPair
    private var serverShort: [UInt8] = []
    private var cookie: [UInt8] = []
    private var count: UInt64 = 0

    /// Connects, and sends nothing.
    ///
    /// - Parameters:
    ///   - keys: Its keys; random ones when nil.
    ///   - timeout: The seconds of each wait at most.
    package init(
        to endpoint: Endpoint, server: CurvePublicKey, keys: CurveKeyPair? = nil, timeout: Int = 10
    ) throws {
        connection = try RawConnection(to: endpoint, timeout: timeout)
        self.server = server.bytes
        own = try keys ?? .generate()
        short = try .generate()
    }

    /// Sends the greeting, and waits for the server's.
    package func greet() throws {
        var greeting = ZMTP.greeting
        greeting.replaceSubrange(12..<17, with: Array("CURVE".utf8))
        try connection.write(greeting)
        try connection.read(bytes: greeting.count)
    }

    /// Sends a HELLO without waiting for the answer.
    package func sayHello() throws {
        let nonce = nextNonce()
        let proof = box([UInt8](repeating: 0, count: 64), "CurveZMQHELLO---", nonce, server, short.secretKey)
        let zeros = [UInt8](repeating: 0, count: 72)
        try connection.write(
            ZMTP.frame(
                named("HELLO") + [1, 0] + zeros + short.publicKey.bytes + nonce + proof, isCommand: true))
    }

    /// Sends a HELLO, and waits for the WELCOME.
    package func introduce() throws {
        try sayHello()
        let welcome = Array(try connection.readExactly(170).dropFirst(2 + 8))
        let nonce = Array("WELCOME-".utf8) + welcome[..<16]
        var opened = [UInt8](repeating: 0, count: 128)
        let sealed = Array(welcome[16...])
        guard crypto_box_open_easy(&opened, sealed, UInt64(sealed.count), nonce, server, short.secretKey) == 0
        else { throw Errno.permissionDenied }
        (serverShort, cookie) = (Array(opened[..<32]), Array(opened[32...]))
    }

    /// Sends an INITIATE as a kind of socket with further properties; waits for the answer if there are none.
    package func initiate(as kind: String, _ properties: [UInt8] = []) throws {
        let vouchNonce = [UInt8](repeating: 7, count: 16)
        let vouch = box(short.publicKey.bytes + server, "VOUCH---", vouchNonce, serverShort, own.secretKey)
        let name = Array("Socket-Type".utf8)
        let type = [UInt8(name.count)] + name + [0, 0, 0, UInt8(kind.utf8.count)] + Array(kind.utf8)
        let nonce = nextNonce()
        let sealed = box(
            own.publicKey.bytes + vouchNonce + vouch + type + properties, "CurveZMQINITIATE", nonce,
            serverShort,
            short.secretKey)
        try connection.write(ZMTP.frame(named("INITIATE") + cookie + nonce + sealed, isCommand: true))
        guard properties.isEmpty else { return }
        let length = try connection.readExactly(2)[1]
        try connection.read(bytes: Int(length))
    }

    /// Returns a frame inside the frame of a MESSAGE.
    ///
    /// - Parameters:
    ///   - flags: 1 if more frames of the message follow, 2 for a command, or both.
    ///   - outer: The same flags of the outer frame, which has none.
    package func frame(_ content: [UInt8], flags: UInt8 = 0, outer: UInt8 = 0) -> [UInt8] {
        let nonce = nextNonce()
        let sealed = box([flags] + content, "CurveZMQMESSAGEC", nonce, serverShort, short.secretKey)
        return ZMTP.frame(
            named("MESSAGE") + nonce + sealed, hasMore: outer & 1 != 0, isCommand: outer & 2 != 0)
    }

    /// Sends a frame inside a MESSAGE, as ``frame(_:flags:outer:)``.
    package func send(_ content: [UInt8], flags: UInt8 = 0, outer: UInt8 = 0) throws {
        try connection.write(frame(content, flags: flags, outer: outer))
    }

    private func named(_ name: String) -> [UInt8] { [UInt8(name.utf8.count)] + Array(name.utf8) }

    private func nextNonce() -> [UInt8] {
        count += 1
        return withUnsafeBytes(of: count.bigEndian) { Array($0) }
    }

    private func box(
        _ content: [UInt8], _ prefix: String, _ nonce: [UInt8], _ publicKey: [UInt8], _ secretKey: [UInt8]
    ) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: content.count + 16)
        let result = crypto_box_easy(
            &sealed, content, UInt64(content.count), Array(prefix.utf8) + nonce, publicKey, secretKey)
        precondition(result == 0, "keys of this type are valid")
        return sealed
    }
}
