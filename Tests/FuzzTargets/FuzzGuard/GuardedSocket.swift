import CGuard
import CSodium
import FuzzSupport
import Glibc

/// A guarded socket whose peers, owner and I/O thread act as the bytes of an input say.
///
/// The calls of the I/O thread are those of libzmq. After each action the guard's counts, the open
/// descriptors and the connections that it has ended are compared with those of a model.
struct GuardedSocket {
    /// How far a connection has come.
    private enum Progress: Int {
        case silent, greeted, introduced, active
    }

    private struct Connection {
        let descriptor: Int32
        let serial: UInt32
        let peer: Int32
        /// What the peer has sent and was not received yet, and what was received.
        var sent: [UInt8] = []
        var received: [UInt8] = []
        /// The messages under encryption.
        var decrypted: FrameContents
        /// The messages that were received and not handled yet.
        var unread: [UInt64] = []
        var progress = Progress.silent
        /// The number of the action with which it last made progress.
        var progressAt: Int
        var isCut = false
        /// Whether the guard has shut it down: the I/O thread closes it next.
        var isShutDown = false
        var isClosed = false

        var unreadBytes: UInt64 { unread.reduce(0, +) }
        var isHeld: Bool { isClosed && !unread.isEmpty }
    }

    private var bounds = guard_bounds()
    private let number: Int32
    private var actions: ArraySlice<UInt8>
    private var actionCount = 0
    private var connections: [Connection] = []
    private var counts = guard_counts()
    /// The bytes of the messages that were not handled yet, of all connections.
    private var unreadBytes: UInt64 = 0

    /// Carries out the actions of an input.
    static func run(_ input: [UInt8]) throws {
        guard input.count > 2 else { return }
        var socket = GuardedSocket(input)
        try expect(socket.number >= 0, "the listeners of former inputs are still used")
        do {
            defer { socket.end() }
            while !socket.actions.isEmpty {
                try socket.act()
                try socket.check()
            }
        }
        for connection in socket.connections {
            try expect(!isOpen(connection.descriptor), "a descriptor is open after the end")
        }
    }

    private init(_ input: [UInt8]) {
        bounds.is_encrypted = input[0] & 1 != 0
        bounds.connections = UInt32(input[0] >> 1) % 6
        bounds.partial_bytes = input[1] & 1 != 0 ? 400 : 0
        bounds.unread_bytes = [0, 500, 40_000][Int(input[1] >> 1) % 3]
        bounds.all_unread_bytes = input[1] & 0x10 != 0 ? 1_000 : 0
        number = guard_listener(Self.listening.descriptor, &bounds)
        actions = input.dropFirst(2)
    }

    // MARK: Actions

    private mutating func next() -> Int { Int(actions.popFirst() ?? 0) }

    private mutating func take(_ count: Int) -> [UInt8] {
        defer { actions = actions.dropFirst(count) }
        return Array(actions.prefix(count))
    }

    private mutating func act() throws {
        actionCount += 1
        let action = next()
        if action % 8 == 0 { return try connect() }
        if action % 8 == 1 { return try drain(dropping: action & 8 != 0) }
        guard !connections.isEmpty else { return }
        let place = next() % connections.count
        guard !connections[place].isClosed else { return try handle(place) }
        switch action % 8 {
        case 2: send(place, Self.handshake)
        case 3: send(place, take(next()))
        case 4: try receive(place, atMost: action & 8 != 0 ? 4_096 : next())
        case 5 where action & 8 != 0: try end(place)
        case 5: try close(place)
        case 6: try handle(place)
        default: try decrypt(place, kind: action >> 3, next())
        }
    }

    private mutating func connect() throws {
        var (address, size) = Self.listening.address
        let peer = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Self.flags, 0)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = Glibc.connect(peer, $0, size) }
        }
        let descriptor = accept4(Self.listening.descriptor, nil, nil, Self.flags)
        let most = Int(bounds.connections)
        let isFull = most > 0 && counts.open >= most
        let replaced = isFull && counts.open <= most + most / 4 ? quietest : nil
        let isAdmitted =
            most == 0
            || connections.count(where: \.isHeld) < most / 8 + 8 && (!isFull || replaced != nil)
        try Self.expect((descriptor >= 0) == isAdmitted, "admitted: \(descriptor >= 0)")
        guard isAdmitted else {
            Glibc.close(peer)
            return counts.refused += 1
        }
        if let replaced {
            connections[replaced].isShutDown = true
            counts.displaced += 1
        }
        try Self.expect(
            !connections.contains { $0.descriptor == descriptor && (!$0.isClosed || $0.isHeld) },
            "the descriptor of a connection with unread messages was reused")
        (counts.open, counts.accepted) = (counts.open + 1, counts.accepted + 1)
        connections.append(
            Connection(
                descriptor: descriptor, serial: guard_serial(number, descriptor), peer: peer,
                decrypted: FrameContents(bounds), progressAt: actionCount))
    }

    /// The connection that is replaced next: the quietest of those that came the least far.
    private var quietest: Int? {
        connections.indices.filter { !connections[$0].isClosed && !connections[$0].isShutDown }.min {
            let (one, other) = (connections[$0], connections[$1])
            return (one.progress.rawValue, one.progressAt) < (other.progress.rawValue, other.progressAt)
        }
    }

    private mutating func send(_ place: Int, _ bytes: [UInt8]) {
        guard !connections[place].isShutDown, !connections[place].isCut else { return }
        let count = Glibc.send(connections[place].peer, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        connections[place].sent += bytes.prefix(max(0, count))
    }

    private mutating func receive(_ place: Int, atMost most: Int) throws {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(connections[place].descriptor, &buffer, most, 0)
        if connections[place].isCut { return try Self.expect(count == -1, "bytes passed after the end") }
        let bytes = Array(connections[place].sent.prefix(most))
        guard !bytes.isEmpty else { return }
        connections[place].sent.removeFirst(bytes.count)
        let former = WholeFrames(connections[place].received, bounds).content.messages.count
        connections[place].received += bytes
        let whole = WholeFrames(connections[place].received, bounds)
        let messages = whole.content.messages.dropFirst(former)
        let isAllowed = whole.areAllowed && mayHave(messages.reduce(0, +), unreadAt: place)
        try Self.expect(count == (isAllowed ? bytes.count : -1), "\(count) of \(bytes.count) bytes passed")
        guard isAllowed else { return cut(place) }
        add(messages, to: place)
        if messages.isEmpty, connections[place].progress == .silent { progress(place, .greeted) }
    }

    /// Decrypts a box of the connection that was received from last.
    private mutating func decrypt(_ place: Int, kind: Int, _ count: Int) throws {
        guard bounds.is_encrypted, !connections[place].isCut else { return }
        try receive(place, atMost: 0)
        let plain = take(count)
        switch kind % 4 {
        case 0:
            let isOpened = Self.opens(Array("CurveZMQHELLO---".utf8), plain)
            try Self.expect(isOpened, "a HELLO was refused")
            progress(place, .introduced)
        case 1:
            let content = [UInt8](repeating: 0, count: 128) + plain
            let isOpened = Self.opens(Array("CurveZMQINITIATE".utf8), content)
            let isAllowed = FrameContents.leavesRoutingID(plain[...])
            try Self.expect(isOpened == isAllowed, "an INITIATE was opened: \(isOpened)")
            if !isAllowed { cut(place) }
        default:
            let isOpened = Self.opensMessage(plain)
            guard let flags = plain.first else {
                return try Self.expect(isOpened, "an empty box was refused")
            }
            let former = connections[place].decrypted.messages.count
            let command = flags & 2 != 0 ? FrameFlag.command : 0
            let isWithin = connections[place].decrypted.add(
                flags & FrameFlag.more | command, Array(plain.dropFirst()))
            let messages = connections[place].decrypted.messages.dropFirst(former)
            let isAllowed = isWithin && mayHave(messages.reduce(0, +), unreadAt: place)
            try Self.expect(isOpened == isAllowed, "a frame was opened: \(isOpened)")
            guard isAllowed else { return cut(place) }
            add(messages, to: place)
        }
    }

    private func mayHave(_ bytes: UInt64, unreadAt place: Int) -> Bool {
        guard bytes > 0 else { return true }
        let own = connections[place].unreadBytes + bytes
        if bounds.unread_bytes > 0, own > bounds.unread_bytes { return false }
        let areMany = bounds.all_unread_bytes > 0 && unreadBytes + bytes > bounds.all_unread_bytes
        return !areMany || own <= bounds.unread_bytes / 256
    }

    private mutating func add(_ messages: ArraySlice<UInt64>, to place: Int) {
        connections[place].unread += messages
        unreadBytes += messages.reduce(0, +)
        if !messages.isEmpty { progress(place, .active) }
    }

    private mutating func progress(_ place: Int, _ progress: Progress) {
        if progress.rawValue > connections[place].progress.rawValue { connections[place].progress = progress }
        connections[place].progressAt = actionCount
    }

    private mutating func cut(_ place: Int) {
        if !connections[place].isCut { counts.ended += 1 }
        connections[place].isCut = true
    }

    /// The owner handles the oldest message of a connection.
    private mutating func handle(_ place: Int) throws {
        guard let bytes = connections[place].unread.first else { return }
        connections[place].unread.removeFirst()
        unreadBytes -= bytes
        let sender = guard_handled(number, connections[place].descriptor, bytes)
        try Self.expect(sender.serial == connections[place].serial, "a message has another sender")
        try Self.expect(sender.is_cut == connections[place].isCut, "a message is dropped: \(sender.is_cut)")
    }

    /// The owner receives until nothing is left; libzmq drops messages of closed connections after an error.
    private mutating func drain(dropping isDropping: Bool) throws {
        for place in connections.indices {
            while !connections[place].unread.isEmpty {
                if connections[place].isClosed, isDropping {
                    unreadBytes -= connections[place].unread.removeFirst()
                } else {
                    try handle(place)
                }
            }
        }
        guard_emptied(number, guard_progress(number))
    }

    private mutating func end(_ place: Int) throws {
        let wasOpen = guard_end(number, connections[place].descriptor, connections[place].serial)
        try Self.expect(wasOpen, "an open connection was not ended")
        // libzmq closes one whose bytes were refused.
        if !connections[place].isCut { connections[place].isShutDown = true }
        cut(place)
    }

    /// The I/O thread closes a connection.
    private mutating func close(_ place: Int) throws {
        let connection = connections[place]
        Glibc.close(connection.peer)
        Glibc.close(connection.descriptor)
        connections[place].isClosed = true
        counts.open -= 1
        try Self.expect(Self.isOpen(connection.descriptor) == connections[place].isHeld, "a wrong close")
    }

    private mutating func end() {
        for place in connections.indices where !connections[place].isClosed { try? close(place) }
        guard_release(number)
    }

    // MARK: Checks

    private func check() throws {
        let read = guard_counts(number)
        try Self.expect(
            read.open == counts.open && read.accepted == counts.accepted && read.refused == counts.refused
                && read.displaced == counts.displaced && read.ended == counts.ended,
            "\(read), expected \(counts)")
        for connection in connections where !connection.isClosed || connection.isHeld {
            try Self.expect(Self.isOpen(connection.descriptor), "a descriptor was closed early")
        }
        for connection in connections where !connection.isClosed {
            var byte: UInt8 = 0
            let isEnded = recv(connection.peer, &byte, 1, 0) == 0
            try Self.expect(isEnded == connection.isShutDown, "a connection was ended: \(isEnded)")
        }
    }

    private static func expect(_ isSo: Bool, _ description: @autoclosure () -> String) throws {
        guard isSo else { throw FuzzTarget.Violation(description()) }
    }

    private static func isOpen(_ descriptor: Int32) -> Bool { fcntl(descriptor, F_GETFD) >= 0 }

    // MARK: Constants

    private static let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)

    /// A socket that listens at an address of the system's choice.
    private static let listening = {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | flags, 0)
        var (address, size) = (sockaddr_un(), socklen_t(MemoryLayout<sockaddr_un>.size))
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(descriptor, $0, socklen_t(MemoryLayout<sa_family_t>.size))
                getsockname(descriptor, $0, &size)
            }
        }
        precondition(listen(descriptor, 8) == 0, "no listening socket")
        return (descriptor: descriptor, address: (address, size))
    }()

    /// A greeting of ZMTP 3.0, and a command without properties.
    private static let handshake =
        [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + [UInt8](repeating: 0, count: 52)
        + [4, 6] + Array("\u{5}READY".utf8)

    // MARK: Encryption

    /// A key pair, and the key that it shares with itself: the guard reads no keys.
    private static let keys = {
        var (open, secret) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        var shared = open
        crypto_box_keypair(&open, &secret)
        precondition(crypto_box_beforenm(&shared, open, secret) == 0, "a key pair shares a key")
        return (open: open, secret: secret, shared: shared)
    }()

    private static let nonce = [UInt8](repeating: 0, count: 24)

    /// Opens a box of a handshake, as libzmq does; returns whether it was opened.
    private static func opens(_ name: [UInt8], _ content: [UInt8]) -> Bool {
        let nonce = name + nonce.dropFirst(name.count)
        let padded = [UInt8](repeating: 0, count: 32) + content
        var (sealed, opened) = (padded, padded)
        crypto_box_afternm(&sealed, padded, UInt64(padded.count), nonce, keys.shared)
        return crypto_box_open(&opened, sealed, UInt64(sealed.count), nonce, keys.open, keys.secret) == 0
    }

    /// Opens the box of a MESSAGE, as libzmq does; returns whether it was opened.
    private static func opensMessage(_ content: [UInt8]) -> Bool {
        var (sealed, opened) = ([UInt8](repeating: 0, count: content.count + 16), content + [0])
        crypto_box_easy_afternm(&sealed, content, UInt64(content.count), nonce, keys.shared)
        return crypto_box_open_easy_afternm(&opened, sealed, UInt64(sealed.count), nonce, keys.shared) == 0
    }
}
