/// Bytes of ZMTP 3.0 without security, as in RFC 23.
package enum ZMTP {
    /// The signature, the version 3.0, the mechanism, the role, and zeros: 64 bytes.
    package static let greeting: [UInt8] =
        [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)

    /// The command that completes a handshake, with a further property.
    package static func ready(_ socketType: String, _ more: [UInt8] = []) -> [UInt8] {
        frame(
            [5] + Array("READY".utf8) + property("Socket-Type", Array(socketType.utf8)) + more,
            isCommand: true)
    }

    /// A property of a handshake.
    package static func property(_ name: String, _ value: [UInt8]) -> [UInt8] {
        let length = UInt32(value.count).bigEndian
        return [UInt8(name.utf8.count)] + Array(name.utf8) + withUnsafeBytes(of: length) { Array($0) } + value
    }

    /// A heartbeat that does not end the connection when later ones fail to come.
    package static let ping = frame([4] + Array("PING".utf8) + [0, 0], isCommand: true)

    /// The answer to ``ping``, as libzmq writes it.
    package static let pong: [UInt8] = [4, 5, 4] + Array("PONG".utf8)

    /// A frame of a message, with its length in one byte, as libzmq writes those below 256.
    package static func short(_ content: [UInt8], hasMore: Bool = false) -> [UInt8] {
        [hasMore ? 1 : 0, UInt8(content.count)] + content
    }

    /// A frame of a message, or a command, with its length in eight bytes.
    package static func frame(_ content: [UInt8], hasMore: Bool = false, isCommand: Bool = false) -> [UInt8] {
        let length = UInt64(content.count).bigEndian
        return [2 | (hasMore ? 1 : 0) | (isCommand ? 4 : 0)] + withUnsafeBytes(of: length) { Array($0) }
            + content
    }

    /// The first bytes of a frame with a length that is never reached.
    package static func promise(of length: UInt64) -> [UInt8] {
        [2] + withUnsafeBytes(of: length.bigEndian) { Array($0) } + [1, 2, 3]
    }
}
