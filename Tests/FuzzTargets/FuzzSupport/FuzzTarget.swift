/// A decoder of bytes from outside, with the rules that it keeps for every input.
///
/// It never traps, a decoded value is encoded into bytes that decode to the same value, and the decoder
/// allocates at most a multiple of the input.
public struct FuzzTarget: Sendable {
    /// A broken rule.
    public struct Violation: Error, CustomStringConvertible {
        /// The rule and the values that break it.
        public let description: String

        /// A violation with that description.
        public init(_ description: String) { self.description = description }
    }

    /// Its name, which is also the name of the folder with its corpus.
    public let name: String
    /// The bytes that the decoder may allocate for any input.
    private let heapBytes: Int
    /// Whether inputs are protobuf messages, so that a mutation changes fields.
    public let isProtobuf: Bool

    private let check: @Sendable (_ input: [UInt8], _ heap: HeapMeter) throws -> Void

    /// Creates a target.
    ///
    /// - Parameter check: Decodes an input, and throws ``Violation`` for a broken rule.
    public init(
        _ name: String, heapBytes: Int = 32 * 1_024, isProtobuf: Bool = false,
        check: @escaping @Sendable (_ input: [UInt8], _ heap: HeapMeter) throws -> Void
    ) {
        (self.name, self.heapBytes, self.isProtobuf, self.check) = (name, heapBytes, isProtobuf, check)
    }

    /// Decodes an input, and checks the rules.
    ///
    /// - Throws: ``Violation``.
    public func run(_ input: [UInt8], heap: HeapMeter = .none) throws {
        var heap = heap
        heap.base = heapBytes
        try check(input, heap)
    }
}

/// Measures the heap of a decoder, and bounds it.
public struct HeapMeter: Sendable {
    /// A meter that measures nothing.
    public static let none = HeapMeter(begin: {}, peak: { 0 })
    /// The bytes that a decoder may allocate for each byte of its input: a number of one byte may become one
    /// of eight, in an array whose capacity doubles.
    private static let factor = 16

    /// The bytes that the decoder may allocate for any input: values of a fixed size, and errors.
    var base = 0

    private let begin: @Sendable () -> Void
    private let peak: @Sendable () -> Int

    /// Creates a meter.
    ///
    /// - Parameters:
    ///   - begin: Called before the decoder.
    ///   - peak: Called after the decoder; returns the most bytes that were allocated at the same time since
    ///     `begin`.
    public init(begin: @escaping @Sendable () -> Void, peak: @escaping @Sendable () -> Int) {
        (self.begin, self.peak) = (begin, peak)
    }

    /// Runs a decoder on an input.
    ///
    /// - Returns: The decoder's value; nil if it throws, which refuses the input.
    /// - Throws: ``FuzzTarget/Violation`` if the decoder allocates too much.
    public func decode<Value>(_ input: [UInt8], _ body: ([UInt8]) throws -> Value) throws -> Value? {
        var attempts = 0
        while true {
            begin()
            let value = try? body(input)
            let peak = peak()
            guard peak > base + Self.factor * input.count else { return value }
            // The first use of a constant allocates it.
            attempts += 1
            guard attempts < 2 else {
                throw FuzzTarget.Violation("\(peak) bytes on the heap for an input of \(input.count)")
            }
        }
    }
}
