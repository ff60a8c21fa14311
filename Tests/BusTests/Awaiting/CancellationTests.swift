import Bus
import Testing

@Suite("Cancelled waits", .timeLimit(.minutes(1)))
struct CancellationTests {
    private static let messages: UInt32 = 10_000

    @Test(
        "a cancelled receive loses, repeats and reorders no message, at any moment", arguments: UInt64(1)...3)
    func readerCancelledAtRandom(seed: UInt64) async throws {
        try await AwaitedPair.with(.pull, .push, limit: 10) { pull, push in
            let sender = Task {
                for number in 0..<Self.messages { _ = try await push.send([Self.bytes(of: number)]) }
            }
            var generator = SplitMix(state: seed)
            var received: [UInt32] = []
            var cancelled = 0
            while received.count < Self.messages {
                let progress = Counter()
                let reader = Task { try await Self.readUntilCancelled(pull, progress: progress) }
                // At the latest when no more messages come.
                let left = Int(Self.messages) - received.count
                let limit = min(Int.random(in: 0..<100, using: &generator), left)
                while progress.value < limit { await Task.yield() }
                reader.cancel()
                let (numbers, isCancelled) = try await reader.value
                received += numbers
                cancelled += isCancelled ? 1 : 0
            }
            try await sender.value
            #expect(received == Array(0..<Self.messages))
            #expect(cancelled > 10)
        }
    }

    @Test("a cancelled reader leaves the message to the next one", arguments: [false, true])
    func reader(isCancelledBefore: Bool) async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            let reader = Task {
                while isCancelledBefore, !Task.isCancelled { await Task.yield() }
                return try await pull.receive()
            }
            if !isCancelledBefore { try await pull.awaitReader() }
            reader.cancel()
            await #expect(throws: CancellationError.self) { _ = try await reader.value }
            #expect(try await push.send([[1]]) == .sent)
            #expect(try await pull.receive() == [[1]])
        }
    }

    @Test("a cancelled sender sends nothing, lets the next one continue, and leaves the socket usable")
    func sender() async throws {
        try await AwaitedPair.with(.pull, .push, limit: 5) { pull, push in
            var sent: UInt32 = 0
            while try await push.send([Self.bytes(of: sent)], within: .zero) == .sent { sent += 1 }
            let cancelled = Task { try await push.send([Self.bytes(of: 1_000)]) }
            try await push.awaitSender()
            let patient = Task { [sent] in try await push.send([Self.bytes(of: sent)]) }
            try await push.awaitSender(number: 2)
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
            for number in 0...sent { #expect(try await pull.receive() == [Self.bytes(of: number)]) }
            #expect(try await patient.value == .sent)
            #expect(try await push.send([[7]]) == .sent)
            #expect(try await pull.receive() == [[7]])
        }
    }

    /// The number of messages after which a reader only waits to be cancelled, so that there are many
    /// readers.
    private static let messagesOfReader = 500

    /// The numbers read until the task was cancelled, and whether that ended a wait.
    private static func readUntilCancelled(
        _ socket: AsyncSocket, progress: Counter
    ) async throws -> ([UInt32], Bool) {
        var numbers: [UInt32] = []
        do {
            for try await message in socket.messages {
                numbers.append(message[0].reduce(0) { $0 << 8 | UInt32($1) })
                _ = progress.increment()
                while numbers.count >= messagesOfReader, !Task.isCancelled { await Task.yield() }
            }
        } catch is CancellationError {
            return (numbers, true)
        }
        return (numbers, false)
    }

    /// Four bytes, big-endian.
    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
