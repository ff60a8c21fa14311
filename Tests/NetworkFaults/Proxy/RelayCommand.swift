/// What a relay does with the bytes of a connection.
enum RelayAction: Equatable {
    case pass
    /// Nothing is sent for some time; the connection stays.
    case stall(forUs: Int64)
    /// The next frame is cut at a random byte, and then the connection is closed; once.
    case truncate
    /// The connection is reset in both directions; once.
    case reset
    /// Everything is written in pieces of 1 byte, or of up to that number of bytes.
    case split(bytesAtMost: Int)
    /// A message is sent twice, or after the next one, with that probability.
    case duplicate(Double)
    case reorder(Double)
    /// The connection of one side is closed, and the other side is not informed; once.
    case halfOpen
    case slow(bytesPerSecond: Int)

    /// Whether it applies to a connection once, and not to those that are made later.
    var isSingle: Bool {
        switch self {
        case .truncate, .reset, .halfOpen: true
        case .pass, .stall, .split, .duplicate, .reorder, .slow: false
        }
    }
}

/// A direction of a connection.
enum Direction: CaseIterable {
    /// From the client to the server.
    case up
    case down
}

/// A command for a relay: `ACTION [NUMBER] [up|down|both] [port OFFSET]`.
struct RelayCommand: Equatable {
    var action: RelayAction
    var directions: Set<Direction> = [.up, .down]
    /// The number of the port, from 0 on; nil for all.
    var port: Int?

    init(_ words: some Collection<Substring>) throws {
        var words = words[...]
        guard let name = words.popFirst() else { throw Refused("no command") }
        let number = words.first.flatMap { Double($0) }
        if number != nil { words.removeFirst() }
        action = try Self.action(name, number)
        while let word = words.popFirst() {
            switch word {
            case "up": directions = [.up]
            case "down": directions = [.down]
            case "both": directions = [.up, .down]
            case "port": port = try Self.port(words.popFirst())
            default: throw Refused("unknown word: \(word)")
            }
        }
    }

    private static func port(_ word: Substring?) throws -> Int {
        guard let port = word.flatMap({ Int($0) }) else { throw Refused("port needs a number") }
        return port
    }

    private static func action(_ name: Substring, _ number: Double?) throws -> RelayAction {
        switch (name, number) {
        case ("pass", nil): return .pass
        case ("truncate", nil): return .truncate
        case ("reset", nil): return .reset
        case ("half-open", nil): return .halfOpen
        case ("stall", .some(0...600_000)): return .stall(forUs: Int64((number ?? 0) * 1_000))
        case ("split", .some(1...65_536)): return .split(bytesAtMost: Int(number ?? 1))
        case ("duplicate", .some(0...1)): return .duplicate(number ?? 0)
        case ("reorder", .some(0...1)): return .reorder(number ?? 0)
        case ("slow", .some(100...1e9)): return .slow(bytesPerSecond: Int(number ?? 100))
        default: throw Refused("unknown action, or a number that it does not allow: \(name)")
        }
    }
}
