import CGuard

/// The flags of a frame: RFC 23.
enum FrameFlag {
    static let more: UInt8 = 1
    static let long: UInt8 = 2
    static let command: UInt8 = 4
}

/// The frames of a connection, each read when it is complete.
struct WholeFrames {
    /// Whether all bytes are within the bounds; nothing is read after those that are not.
    private(set) var areAllowed: Bool
    /// The messages of a connection without encryption.
    private(set) var content: FrameContents
    private var commands = 0

    /// Reads a connection from its greeting on.
    init(_ bytes: [UInt8], _ bounds: guard_bounds) {
        content = FrameContents(bounds)
        areAllowed =
            bytes.first ?? 0xff == 0xff && (bytes.count <= 9 || bytes[9] & 1 == 1)
            && (bytes.count <= 10 || bytes[10] >= 3)
        var rest = bytes.dropFirst(64)
        while areAllowed, let flags = rest.popFirst() {
            if bounds.is_encrypted { areAllowed = isOuter(flags) }
            let lengthBytes = flags & FrameFlag.long == 0 ? 1 : 8
            guard areAllowed, rest.count >= lengthBytes else { return }
            let length = rest.prefix(lengthBytes).reduce(0) { $0 << 8 | UInt64($1) }
            rest = rest.dropFirst(lengthBytes)
            areAllowed = bounds.partial_bytes == 0 || length <= bounds.partial_bytes
            guard areAllowed, UInt64(rest.count) >= length else { return }
            if !bounds.is_encrypted { areAllowed = content.add(flags, Array(rest.prefix(Int(length)))) }
            rest = rest.dropFirst(Int(length))
        }
    }

    /// HELLO and INITIATE are commands; the frames after them have their flags inside.
    private mutating func isOuter(_ flags: UInt8) -> Bool {
        guard commands < 2 else { return flags & (FrameFlag.more | FrameFlag.command) == 0 }
        commands += 1
        return flags & FrameFlag.command != 0
    }
}

/// The messages of a connection, from the contents of its frames.
struct FrameContents {
    /// The bytes that libzmq uses for each complete message.
    private(set) var messages: [UInt64] = []
    private var partial: UInt64 = 0
    private var isReady: Bool
    private let bounds: guard_bounds

    init(_ bounds: guard_bounds) { (self.bounds, isReady) = (bounds, bounds.is_encrypted) }

    /// Adds a frame; returns whether it is within the bounds.
    mutating func add(_ flags: UInt8, _ content: [UInt8]) -> Bool {
        var (bytes, isLast) = (content.count, flags & FrameFlag.more == 0)
        if flags & FrameFlag.command != 0 {
            guard isReady else {
                isReady = true
                return Self.isReadyAllowed(content)
            }
            // A subscription becomes a message of one byte and the topic; other commands stay in libzmq.
            let names = ["\u{9}SUBSCRIBE", "\u{6}CANCEL"].map { Array($0.utf8) }
            guard let name = names.first(where: content.starts(with:)) else { return true }
            (bytes, isLast) = (content.count - name.count + 1, true)
        }
        partial += UInt64(bytes + Int(GUARD_FRAME_BYTES))
        guard bounds.partial_bytes == 0 || partial <= bounds.partial_bytes else { return false }
        if isLast {
            messages.append(partial)
            partial = 0
        }
        return true
    }

    private static func isReadyAllowed(_ content: [UInt8]) -> Bool {
        let name = Array("\u{5}READY".utf8)
        guard content.starts(with: name) else { return true }
        return content.count <= 256 && leavesRoutingID(content.dropFirst(name.count))
    }

    /// Reads the properties of a handshake as libzmq 4.3.4 does in `mechanism_t::parse_metadata`.
    static func leavesRoutingID(_ properties: ArraySlice<UInt8>) -> Bool {
        var rest = properties
        while let nameBytes = rest.popFirst() {
            guard rest.count >= Int(nameBytes) + 4 else { return false }
            let name = String(decoding: rest.prefix(Int(nameBytes)), as: UTF8.self)
            rest = rest.dropFirst(Int(nameBytes))
            let valueBytes = rest.prefix(4).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(4)
            guard rest.count >= valueBytes, name.lowercased() != "identity" || valueBytes == 0 else {
                return false
            }
            rest = rest.dropFirst(valueBytes)
        }
        return true
    }
}
