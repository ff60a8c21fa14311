import FleetProtocol
import Testing

@Suite("Transmission")
struct TransmissionTests {
    private var generator = SeededGenerator(seed: 1)
    private let start = MonotonicTime(nanoseconds: 1_000)

    @Test("a new message is sent at once, and once")
    func sentAtOnce() {
        var transmission = Transmission(.onSilence, at: start)
        let offers = [transmission.consumeDue(at: start), transmission.consumeDue(at: start)]
        #expect(offers == [true, false])
        #expect(transmission.copies == 0)
    }

    @Test("without a reply a message is sent again after 1 s and a random part of a doubling span")
    mutating func spans() throws {
        var transmission = Transmission(.onSilence, at: start)
        for milliseconds in [50, 100, 200, 400, 500, 500, 500] {
            transmission.sent(at: start, using: &generator)
            let pause = start.duration(to: try #require(transmission.nextSend))
            #expect(pause >= .seconds(1))
            #expect(pause <= .seconds(1) + .milliseconds(milliseconds))
        }
        #expect(transmission.copies == 7)
    }

    @Test("a reply shortens the span again")
    mutating func heartbeat() throws {
        var transmission = Transmission(.onSilence, at: start)
        for _ in 0..<9 { transmission.sent(at: start, using: &generator) }
        transmission.received(at: start, using: &generator)
        let pause = start.duration(to: try #require(transmission.nextSend))
        #expect(pause >= .seconds(1))
        #expect(pause <= .milliseconds(1_050))
    }

    @Test("a message without repetition is not sent again", arguments: [true, false])
    mutating func never(hasNewConnection: Bool) {
        var generator = generator
        var transmission = Transmission(.never, at: start)
        _ = transmission.consumeDue(at: start)
        transmission.sent(at: start, using: &generator)
        if hasNewConnection { transmission.connected(at: start, using: &generator) }
        #expect(transmission.nextSend == nil)
    }

    @Test("a query is sent again at most 50 ms after a new connection")
    mutating func newConnection() throws {
        var transmission = Transmission(.onReconnect, at: start)
        _ = transmission.consumeDue(at: start)
        transmission.sent(at: start, using: &generator)
        #expect(transmission.nextSend == nil)
        transmission.connected(at: start, using: &generator)
        let pause = start.duration(to: try #require(transmission.nextSend))
        #expect(pause >= .zero)
        #expect(pause <= .milliseconds(50))
    }

    @Test("an unsent message of any kind is sent at once on the first connection")
    mutating func firstConnection() {
        var transmission = Transmission(.never, at: start)
        _ = transmission.consumeDue(at: start)
        transmission.blocked(at: start, isConnected: false)
        #expect(transmission.nextSend == nil)
        transmission.connected(at: start, using: &generator)
        #expect(transmission.nextSend == start)
    }

    @Test("a message that a full queue blocks is tried again 10 ms later")
    func fullQueue() {
        var transmission = Transmission(.never, at: start)
        _ = transmission.consumeDue(at: start)
        transmission.blocked(at: start, isConnected: true)
        #expect(transmission.nextSend == start.advanced(by: .milliseconds(10)))
    }
}
