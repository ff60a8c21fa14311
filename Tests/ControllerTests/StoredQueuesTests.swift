import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("Stored queues")
struct StoredQueuesTests {
    private let stored: StoredAccounts

    init() throws {
        stored = try StoredAccounts()
    }

    private func report(_ number: UInt64) throws -> QueueReport {
        let device = DeviceID(fleetSeed: 1, index: 3)
        let change = ACStateChange(isOn: true, mode: .heat, targetTemperature: 21, light: .off)
        let commands = [
            QueueCommand(label: "wärmer", device: device, kind: .set(change), takes: .milliseconds(1)),
            QueueCommand(label: "2", device: device, kind: .toggle, takes: Limits.longestTaking),
            QueueCommand(label: "3", device: device, kind: .toggle, takes: .zero),
            QueueCommand(label: "4", device: device, kind: .toggle, takes: .zero),
        ]
        let id = RequestID(high: 0x7000, low: number)
        return QueueReport(
            id: id, plan: try QueuePlan(commands: commands, onFailure: .proceed),
            author: try #require(Email("a@b.c")), startedAt: StoredAccounts.now, state: .paused,
            progress: [
                .ended(id, QueuedOutcome(.rejected, "no \"heat\"\n", at: StoredAccounts.now)), .running(id),
                .waiting,
                .skipped,
            ])
    }

    @Test("queues are in the store after it is opened again, unchanged")
    func persisted() throws {
        var (first, second, theirs) = (try report(1), try report(2), try report(1))
        try stored.open().append([
            .commandQueue(.stands(stored.demo, first)), .commandQueue(.stands(stored.demo, second)),
            .commandQueue(.stands(stored.other, theirs)),
        ])
        first.state = .cancelled
        first.endedAt = StoredAccounts.now.advanced(by: .seconds(1))
        theirs.progress = [.waiting, .waiting, .waiting, .waiting]
        second.state = .running
        try stored.open().append([
            .commandQueue(.stands(stored.demo, first)), .commandQueue(.stands(stored.other, theirs)),
            .commandQueue(.stands(stored.demo, second)),
        ])
        #expect(
            try stored.open().commandQueues() == [
                StoredQueues(account: stored.demo, reports: [first, second], horizon: nil),
                StoredQueues(account: stored.other, reports: [theirs], horizon: nil),
            ])
    }

    @Test("forgotten queues are deleted, and the time of the newest is stored")
    func removed() throws {
        let (first, second) = (try report(1), try report(2))
        try stored.open().append([
            .commandQueue(.stands(stored.demo, first)), .commandQueue(.stands(stored.demo, second)),
        ])
        try stored.open().append([.commandQueue(.removed(stored.demo, [first.id], upTo: StoredAccounts.now))])
        #expect(
            try stored.open().commandQueues() == [
                StoredQueues(account: stored.demo, reports: [second], horizon: StoredAccounts.now)
            ])
        try stored.open().append([
            .commandQueue(
                .removed(stored.demo, [second.id], upTo: StoredAccounts.now.advanced(by: .seconds(1))))
        ])
        #expect(
            try stored.open().commandQueues() == [
                StoredQueues(
                    account: stored.demo, reports: [], horizon: StoredAccounts.now.advanced(by: .seconds(1)))
            ])
    }

    @Test("commands without a journal are remembered as long as one of them is open")
    func unjournalled() throws {
        func restores(_ isJournalled: Bool, open isOpen: Bool) throws -> Bool {
            try stored.open().restoresCommands(isJournalled: isJournalled, isCommandOpen: isOpen)
        }
        #expect(try restores(true, open: true))
        #expect(try restores(true, open: true))
        #expect(try !restores(false, open: true))
        // The previous run's commands are in no journal, even if later runs have one.
        #expect(try !restores(true, open: true))
        #expect(try !restores(true, open: true))
        #expect(try restores(true, open: false))
        #expect(try restores(true, open: true))
        #expect(try !restores(false, open: false))
        #expect(try restores(true, open: false))
    }

    @Test("a batch of queue entries is not stored if another controller has the store")
    func fenced() throws {
        let old = try stored.open()
        _ = try stored.open()
        #expect(throws: StorageError.self) {
            try old.append([.commandQueue(.stands(stored.demo, try report(1)))])
        }
        #expect(try stored.open().commandQueues().isEmpty)
    }
}
