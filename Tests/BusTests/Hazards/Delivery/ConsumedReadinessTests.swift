import Glibc
import Testing

@testable import Bus

/// A socket's descriptor signals an event once, and any operation on the socket may consume the signal.
@Suite("Consumed signals of a socket's descriptor")
struct ConsumedReadinessTests {
    /// Far longer than everything here takes: a wait of this length has missed a message.
    private static let timeoutMs = 10_000
    private static let timeout = Duration.milliseconds(timeoutMs)

    @Test("a message whose signal was consumed by a send ends the next wait at once")
    func consumedBySend() throws {
        let (bound, connected) = try Fixture.pair(.pair, .pair)
        var set = try Self.drained(bound)
        #expect(try connected.send([1]) == .sent)
        let descriptor = try bound.readinessDescriptor()
        #expect(Self.isReadable(descriptor, withinMs: Self.timeoutMs))
        // Whether a send consumes the signal depends on the processor's clock.
        for _ in 0..<1_000_000 where Self.isReadable(descriptor, withinMs: 0) {
            #expect(try bound.send([2]) == .sent)
        }
        #expect(!Self.isReadable(descriptor, withinMs: 0))
        #expect(Self.isReadyInTime(&set))
    }

    @Test("a message whose signal was consumed by a query ends the next wait at once")
    func consumedByQuery() throws {
        let (bound, connected) = try Fixture.pair(.pair, .pair)
        var set = try Self.drained(bound)
        #expect(try connected.send([1]) == .sent)
        _ = bound.events()
        #expect(Self.isReadyInTime(&set))
    }

    @Test("a message that the descriptor signals is found without an operation on the socket")
    func reportedByDescriptor() throws {
        let (bound, connected) = try Fixture.pair(.pair, .pair)
        var set = try Self.drained(bound)
        #expect(bound.isDrained)
        #expect(try connected.send([1]) == .sent)
        #expect(Self.isReadyInTime(&set))
    }

    @Test("a socket that is always ready does not hide events of others")
    func noStarving() throws {
        let (busy, feeder) = try Fixture.pair(.pair, .pair)
        let (quiet, caller) = try Fixture.pair(.pair, .pair)
        var set = try Self.drained(busy, quiet)
        #expect(try feeder.send([1]) == .sent)
        #expect(try caller.send([1]) == .sent)
        _ = busy.events()
        var busyPoll = BusyPoll()
        #expect(set.wait(atMost: Self.timeout, &busyPoll) == .waited)
        #expect(set.ready(at: 0) != nil)
        #expect(set.ready(at: 1) != nil)
    }

    @Test("a wait for room to send ends at once, regardless of messages to receive")
    func room() throws {
        let (bound, connected) = try Fixture.pair(.pair, .pair)
        _ = try Self.drained(bound)
        let registration = Registration(.socket(bound), awaiting: .writable) {}
        var set = PollSet([registration], wakeDescriptor: -1)
        #expect(Self.isReadyInTime(&set))
        _ = connected
    }

    /// A poll of drained sockets, as reported by libzmq.
    private static func drained(_ sockets: Socket...) throws -> PollSet {
        let registrations = sockets.map { Registration(.socket($0), awaiting: .readable) {} }
        var frames = Frames()
        for socket in sockets { while try socket.receive(into: &frames) {} }
        return PollSet(registrations, wakeDescriptor: -1)
    }

    private static func isReadyInTime(_ set: inout PollSet) -> Bool {
        var busyPoll = BusyPoll()
        return set.wait(atMost: timeout, &busyPoll) == .waited && set.ready(at: 0) != nil
    }

    /// Whether a descriptor becomes readable in time.
    private static func isReadable(_ descriptor: Int32, withinMs timeoutMs: Int) -> Bool {
        var item = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&item, 1, Int32(timeoutMs)) == 1
    }
}
