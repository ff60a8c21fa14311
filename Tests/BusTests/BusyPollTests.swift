import Testing

@testable import Bus

/// Waits that begin with busy polling.
@Suite("Busy polling")
struct BusyPollTests {
    private static func polling() -> BusyPoll {
        var busyPoll = BusyPoll()
        busyPoll.limit = .microseconds(100)
        return busyPoll
    }

    @Test("busy polling is off by default")
    func off() {
        var busyPoll = BusyPoll()
        let begins = busyPoll.begins()
        #expect(!begins)
    }

    @Test("busy polling continues while it finds events, also with occasional misses")
    func worthwhile() {
        var busyPoll = Self.polling()
        for round in 1...100 {
            let begins = busyPoll.begins()
            #expect(begins)
            busyPoll.ended(finding: round % 8 != 0)
        }
    }

    @Test("busy polling pauses for some waits after misses, and is then tried again")
    func vain() {
        var busyPoll = Self.polling()
        let tries = (0..<1_000).count { _ in
            guard busyPoll.begins() else { return false }
            busyPoll.ended(finding: false)
            return true
        }
        #expect((50...70).contains(tries))
    }

    @Test("busy polling finds events during its time, and ends in time without any")
    func waits() throws {
        let (bound, connected) = try Fixture.pair(.pair, .pair)
        var frames = Frames()
        while try bound.receive(into: &frames) {}
        var set = PollSet([Registration(.socket(bound), awaiting: .readable) {}], wakeDescriptor: -1)
        var busyPoll = Self.polling()
        #expect(set.wait(atMost: .milliseconds(20), &busyPoll) == .waited)
        #expect(set.ready(at: 0) == nil)
        let begins = busyPoll.begins()
        #expect(!begins)
        busyPoll = Self.polling()
        busyPoll.limit = .microseconds(999)
        #expect(try connected.send([1]) == .sent)
        for _ in 0..<1_000 where set.ready(at: 0) == nil {
            #expect(set.wait(atMost: .seconds(5), &busyPoll) == .waited)
        }
        #expect(set.ready(at: 0) != nil)
    }
}
