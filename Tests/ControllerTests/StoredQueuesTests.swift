import ControllerCore
import FleetProtocol
import FleetTime
import Testing

@testable import controller

@Suite("Stored queues")
struct StoredQueuesTests {
    private let desk: StoredDesk

    init() throws {
        desk = try StoredDesk()
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
            id: id, plan: try QueuePlan(commands: commands, onFailure: .goOn),
            author: try #require(Email("a@b.c")), startedAt: StoredDesk.now, state: .paused,
            progress: [
                .ended(id, QueueEnd(.rejected, "no \"heat\"\n", at: StoredDesk.now)), .running(id),
                .waiting,
                .leftOut,
            ])
    }

    @Test("queues are in the store after it is opened again, unchanged")
    func kept() throws {
        var (first, second, theirs) = (try report(1), try report(2), try report(1))
        try desk.open().append([
            .commandQueue(.stands(desk.demo, first)), .commandQueue(.stands(desk.demo, second)),
            .commandQueue(.stands(desk.other, theirs)),
        ])
        first.state = .cancelled
        first.endedAt = StoredDesk.now.advanced(by: .seconds(1))
        theirs.progress = [.waiting, .waiting, .waiting, .waiting]
        second.state = .running
        try desk.open().append([
            .commandQueue(.stands(desk.demo, first)), .commandQueue(.stands(desk.other, theirs)),
            .commandQueue(.stands(desk.demo, second)),
        ])
        #expect(
            try desk.open().commandQueues() == [
                StoredQueues(account: desk.demo, reports: [first, second], horizon: nil),
                StoredQueues(account: desk.other, reports: [theirs], horizon: nil),
            ])
    }

    @Test("forgotten queues are deleted, and the time of the newest is stored")
    func forgotten() throws {
        let (first, second) = (try report(1), try report(2))
        try desk.open().append([
            .commandQueue(.stands(desk.demo, first)), .commandQueue(.stands(desk.demo, second)),
        ])
        try desk.open().append([.commandQueue(.forgotten(desk.demo, [first.id], upTo: StoredDesk.now))])
        #expect(
            try desk.open().commandQueues() == [
                StoredQueues(account: desk.demo, reports: [second], horizon: StoredDesk.now)
            ])
        try desk.open().append([
            .commandQueue(.forgotten(desk.demo, [second.id], upTo: StoredDesk.now.advanced(by: .seconds(1))))
        ])
        #expect(
            try desk.open().commandQueues() == [
                StoredQueues(
                    account: desk.demo, reports: [], horizon: StoredDesk.now.advanced(by: .seconds(1)))
            ])
    }

    @Test("commands without a journal are remembered as long as one of them is open")
    func unjournalled() throws {
        func recalls(_ isJournalled: Bool, open isOpen: Bool) throws -> Bool {
            try desk.open().recallsCommands(isJournalled: isJournalled, isCommandOpen: isOpen)
        }
        #expect(try recalls(true, open: true))
        #expect(try recalls(true, open: true))
        #expect(try !recalls(false, open: true))
        // The previous run's commands are in no journal, even if later runs have one.
        #expect(try !recalls(true, open: true))
        #expect(try !recalls(true, open: true))
        #expect(try recalls(true, open: false))
        #expect(try recalls(true, open: true))
        #expect(try !recalls(false, open: false))
        #expect(try recalls(true, open: false))
    }

    @Test("a batch of queue entries is not stored if another controller has the store")
    func fenced() throws {
        let old = try desk.open()
        _ = try desk.open()
        #expect(throws: StorageError.self) {
            try old.append([.commandQueue(.stands(desk.demo, try report(1)))])
        }
        #expect(try desk.open().commandQueues().isEmpty)
    }
}
