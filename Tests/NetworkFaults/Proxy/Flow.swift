import FleetProtocol
import ZMTPFrames

/// One direction of a relayed connection: bytes that were read and not written yet.
struct Flow {
    /// The number of pieces to which something happened.
    struct Counts: Equatable {
        var frames = 0
        var truncated = 0
        var duplicated = 0
        var reordered = 0

        static func += (sum: inout Counts, other: Counts) {
            sum.frames += other.frames
            sum.truncated += other.truncated
            sum.duplicated += other.duplicated
            sum.reordered += other.reordered
        }
    }

    /// Nothing more is read while this many bytes wait.
    private static let roomBytes = 1 << 18
    /// The maximum time that a message waits for the next one to overtake it.
    private static let heldUs: Int64 = 50_000
    /// A slow flow writes this many times a second.
    private static let slowWrites = 100

    private(set) var counts = Counts()
    private(set) var action = RelayAction.pass
    private var generator: SeededGenerator
    private var parser = FrameParser()
    /// The frames of an incomplete message.
    private var message: [UInt8] = []
    /// A message that the next one overtakes.
    private var held: (message: [UInt8], untilUs: Int64)?
    private var output: [UInt8] = []
    /// The time of the next write.
    private var readyAtUs: Int64 = 0
    /// Whether the connection ends after the output.
    private(set) var isCut = false

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    var hasRoom: Bool { output.count < Self.roomBytes && !isCut }
    var isEmpty: Bool { output.isEmpty && held == nil }
    /// Whether a chunk of the output can be written now.
    func isReady(atUs now: Int64) -> Bool { !output.isEmpty && readyAtUs <= now }

    /// The time at which something happens without further input.
    var nextUs: Int64? {
        let times = [output.isEmpty ? nil : readyAtUs, held?.untilUs].compactMap(\.self)
        return times.min()
    }

    mutating func apply(_ action: RelayAction, atUs now: Int64) {
        if !message.isEmpty { emit(message) }
        message = []
        release()
        self.action = action
        readyAtUs = now
        if case .stall(let duration) = action { readyAtUs = now + duration }
    }

    /// Accepts bytes.
    mutating func take(_ bytes: some Collection<UInt8>, atUs now: Int64) {
        for piece in parser.append(bytes) where !isCut {
            guard case .frame(let hasMore) = piece.kind else {
                emit(piece.bytes)
                continue
            }
            counts.frames += 1
            switch action {
            case .truncate:
                counts.truncated += 1
                emit(piece.bytes.prefix(Int.random(in: 1..<piece.bytes.count, using: &generator)))
                isCut = true
            case .duplicate, .reorder:
                message += piece.bytes
                if !hasMore { end(atUs: now) }
            case .pass, .stall, .reset, .split, .halfOpen, .slow: emit(piece.bytes)
            }
        }
    }

    /// Releases a message that no later one has overtaken in time.
    mutating func advance(toUs now: Int64) {
        if let held, held.untilUs <= now { release() }
    }

    /// The bytes of the next write.
    func chunk() -> ArraySlice<UInt8> {
        switch action {
        case .split(let bytes):
            // Drawn from a copy, so that a write that fails is tried with the same bytes.
            var generator = generator
            return output.prefix(bytes == 1 ? 1 : Int.random(in: 1...bytes, using: &generator))
        case .slow(let rate): return output.prefix(max(1, rate / Self.slowWrites))
        case .pass, .stall, .truncate, .reset, .duplicate, .reorder, .halfOpen: return output[...]
        }
    }

    /// Removes bytes that were written.
    mutating func wrote(_ count: Int, atUs now: Int64) {
        output.removeFirst(count)
        switch action {
        case .split: _ = generator.next()
        case .slow(let rate): readyAtUs = now + Int64(count) * 1_000_000 / Int64(rate)
        case .pass, .stall, .truncate, .reset, .duplicate, .reorder, .halfOpen: break
        }
    }

    /// Ends a message: sends it once, twice, or later.
    private mutating func end(atUs now: Int64) {
        defer { message = [] }
        switch action {
        case .duplicate(let probability) where chance(probability):
            counts.duplicated += 1
            emit(message + message)
        case .reorder(let probability) where held == nil && chance(probability):
            held = (message, now + Self.heldUs)
        default:
            emit(message)
            if held != nil { counts.reordered += 1 }
            release()
        }
    }

    private mutating func release() {
        if let held { emit(held.message) }
        held = nil
    }

    private mutating func emit(_ bytes: some Collection<UInt8>) {
        output += bytes
    }

    private mutating func chance(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &generator) < probability
    }
}
