import Bus
import Testing

@Suite("Back-pressure", .timeLimit(.minutes(1)))
struct BackPressureTests {
    @Test("a reader that does not receive blocks the sender, and later receives all messages in order")
    func slowReader() async throws {
        try await AwaitedPair.with(.pull, .push, limit: 5) { pull, push in
            let sender = Task {
                for number in UInt8(0)..<100 { _ = try await push.send([[number]]) }
            }
            try await push.awaitSender()
            // Five in each queue, and none was read ahead.
            #expect(try await push.withSocket { $0.counters.sentMessages } == 10)
            #expect(try await pull.withSocket { $0.counters.receivedMessages } == 0)
            for number in UInt8(0)..<100 { #expect(try await pull.receive() == [[number]]) }
            try await sender.value
        }
    }

    @Test("waiting senders continue in their order")
    func order() async throws {
        try await AwaitedPair.with(.pull, .push, limit: 1) { pull, push in
            while try await push.send([[0]], within: .zero) == .sent {}
            var senders: [Task<SendResult, any Error>] = []
            for number in 1...20 {
                senders.append(Task { try await push.send([[UInt8(number)]]) })
                try await push.awaitSender(number: number)
            }
            var received: [UInt8] = []
            while received.last != 20 { received += try await pull.receive()?.first ?? [] }
            #expect(received.filter { $0 > 0 } == Array(1...20))
            for sender in senders { #expect(try await sender.value == .sent) }
        }
    }

    @Test("a ROUTER reports a full peer as full, and sends to other peers")
    func router() async throws {
        try await AwaitedPair.with(.router, .dealer, limit: 5) { router, dealer in
            #expect(try await dealer.send([[1]]) == .sent)
            let peer = try #require(try await router.receive()?.first)
            var sent = 0
            while try await router.send([peer, [0]]) == .sent { sent += 1 }
            #expect(sent == 10)
            #expect(try await router.send([[9, 9, 9], [0]]) == .unroutable)
            for _ in 0..<sent { #expect(try await dealer.receive() == [[0]]) }
        }
    }
}
