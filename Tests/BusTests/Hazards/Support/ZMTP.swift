/// Bytes of ZMTP 3.0 without security, as in RFC 23.
enum ZMTP {
    /// The signature, the version 3.0, the mechanism, the role, and zeros: 64 bytes.
    static let greeting: [UInt8] =
        [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)

    /// The command that completes a handshake, with a further property.
    static func ready(_ socketType: String, _ more: [UInt8] = []) -> [UInt8] {
        let name = Array("Socket-Type".utf8)
        let value = Array(socketType.utf8)
        let property = [UInt8(name.count)] + name + [0, 0, 0, UInt8(value.count)] + value
        return frame([5] + Array("READY".utf8) + property + more, isCommand: true)
    }

    /// A heartbeat that does not end the connection when later ones fail to come.
    static let ping = frame([4] + Array("PING".utf8) + [0, 0], isCommand: true)

    /// The answer to ``ping``, as libzmq writes it.
    static let pong: [UInt8] = [4, 5, 4] + Array("PONG".utf8)

    /// A frame of a message, with its length in one byte, as libzmq writes those below 256.
    static func short(_ content: [UInt8], hasMore: Bool = false) -> [UInt8] {
        [hasMore ? 1 : 0, UInt8(content.count)] + content
    }

    /// A frame of a message, or a command, with its length in eight bytes.
    static func frame(_ content: [UInt8], hasMore: Bool = false, isCommand: Bool = false) -> [UInt8] {
        let length = UInt64(content.count).bigEndian
        return [2 | (hasMore ? 1 : 0) | (isCommand ? 4 : 0)] + withUnsafeBytes(of: length) { Array($0) }
            + content
    }
}
