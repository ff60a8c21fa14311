import Testing

@testable import Bus

@Suite("Mailbox")
struct MailboxTests {
    private let work = Work.closure {}

    @Test("a sleeping thread is woken once for any number of posts")
    func wakesOnce() {
        var mailbox = Mailbox()
        mailbox.begin()
        #expect(Self.call { mailbox.beginTurn(after: WorkBatch()) } == .wait)
        #expect(Self.call { mailbox.post(work) } == .wake)
        #expect(Self.call { mailbox.post(work) } == .none)
        #expect(Self.call { mailbox.stop() } == .none)
    }

    @Test("an awake thread is not woken, and does not sleep while posts are pending")
    func awake() {
        var mailbox = Mailbox()
        mailbox.begin()
        #expect(Self.call { mailbox.post(work) } == .none)
        #expect(Self.call { mailbox.beginTurn(after: WorkBatch()) } == .poll)
    }

    @Test("stopping wakes a sleeping thread once, and prevents further sleep")
    func stop() {
        var mailbox = Mailbox()
        mailbox.begin()
        #expect(Self.call { mailbox.beginTurn(after: WorkBatch()) } == .wait)
        #expect(Self.call { mailbox.stop() } == .wake)
        #expect(Self.call { mailbox.stop() } == .none)
        #expect(Self.call { mailbox.beginTurn(after: WorkBatch()) } == .stopped)
    }

    @Test("a mailbox stopped before it begins stays stopped")
    func stopFirst() {
        var mailbox = Mailbox()
        #expect(Self.call { mailbox.stop() } == .none)
        mailbox.begin()
        #expect(mailbox.phase == .stopping)
    }

    @Test("work after the end starts one late thread, which takes all of it and ends")
    func late() {
        var mailbox = Mailbox()
        mailbox.begin()
        _ = mailbox.stop()
        #expect(Self.call { mailbox.end().action } == .none)
        #expect(Self.call { mailbox.post(work) } == .startLateThread)
        #expect(Self.call { mailbox.post(work) } == .none)
        #expect(Self.call { mailbox.drainLate()?.count } == 2)
        #expect(Self.call { mailbox.drainLate()?.count } == nil)
        #expect(mailbox.phase == .ended)
        #expect(Self.call { mailbox.post(work) } == .startLateThread)
    }

    @Test("work left at the end goes to a late thread")
    func leftover() {
        var mailbox = Mailbox()
        mailbox.begin()
        _ = mailbox.stop()
        _ = mailbox.post(work)
        #expect(Self.call { mailbox.end().action } == .startLateThread)
        #expect(mailbox.phase == .runningLate)
    }

    @Test("work taken out of a batch is released")
    func batchRetainsNothing() {
        weak var witness: Counter?
        var batch = WorkBatch()
        do {
            let captured = Counter()
            witness = captured
            var queue = [Work.closure { _ = captured.increment() }, Work.closure {}]
            batch.refill(from: &queue)
        }
        #expect(witness != nil)
        _ = batch.popFirst()
        #expect(witness == nil)
        #expect(!batch.isEmpty)
    }

    /// Evaluates a mutation outside the macro, which cannot contain one.
    private static func call<Result>(_ mutation: () -> Result) -> Result {
        mutation()
    }
}
