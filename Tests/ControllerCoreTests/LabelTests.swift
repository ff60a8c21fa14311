import FleetProtocol
import Testing

@testable import ControllerCore

extension Bench {
    @discardableResult
    fileprivate func set(
        _ devices: [Int], _ labels: [Label], token: TokenDigest? = Bench.token
    ) throws -> LabelReply {
        let assignment = LabelAssignment(devices: devices.map(Self.device), labels: labels)
        return try answer(to: LabelRequest.set(assignment), token: token)
    }

    fileprivate func labelled(token: TokenDigest? = Bench.token) throws -> [LabelledDevice] {
        guard
            case .list(let devices, isLast: true) = try answer(
                to: LabelRequest.list(after: nil), token: token)
        else { throw Refused(refusal: nil) }
        return devices
    }

    fileprivate var labelUpdates: [LabelUpdate] {
        get throws {
            try effects.compactMap {
                guard case .publish(_, let update) = $0, case .service(let message) = update.body,
                    message.service == LabelRequest.service
                else { return nil }
                return try LabelUpdate(wireBytes: message.content)
            }
        }
    }
}

@Suite("Labels of devices")
struct LabelTests {
    private let bench = Bench.withDevices()

    private func labels(_ texts: String...) -> [Label] { texts.compactMap { Label($0) } }

    @Test("Setting labels sorts them, removes duplicates, and publishes the devices that changed")
    func set() throws {
        let sorted = labels("kitchen", "night")
        let devices = [Bench.device(0), Bench.device(1)].sorted()
        #expect(
            try bench.set([0, 1, 0], labels("night", "kitchen", "night"))
                == .set(LabelAssignment(devices: devices, labels: sorted)))
        #expect(try bench.labelled() == devices.map { LabelledDevice(device: $0, labels: sorted) })
        #expect(try bench.labelUpdates == [.set(LabelAssignment(devices: devices, labels: sorted))])
        bench.effects = []
        try bench.set([1, 2], sorted)
        #expect(try bench.labelUpdates == [.set(LabelAssignment(devices: [Bench.device(2)], labels: sorted))])
    }

    @Test("Setting the same labels again stores and publishes nothing")
    func unchanged() throws {
        try bench.set([0], labels("kitchen"))
        bench.effects = []
        try bench.set([0], labels("kitchen"))
        #expect(try bench.labelUpdates.isEmpty)
        #expect(!bench.effects.contains { if case .store = $0 { true } else { false } })
    }

    @Test("Labels are there after a restart of the controller, and removed ones are not")
    func restart() throws {
        try bench.set([0, 1], labels("kitchen"))
        try bench.set([1], [])
        try bench.restart()
        #expect(try bench.labelled() == [LabelledDevice(device: Bench.device(0), labels: labels("kitchen"))])
        #expect(bench.controller.unreadableRecords == 0)
    }

    @Test("A viewer and another account are refused, and nothing changes")
    func access() throws {
        let viewer = try #require(throws: Bench.Refused.self) {
            try bench.set([0], labels("kitchen"), token: Bench.viewerToken)
        }
        #expect(viewer.refusal?.kind == "notAllowed")
        let stranger = try #require(throws: Bench.Refused.self) {
            try bench.set([0], labels("kitchen"), token: Bench.strangerToken)
        }
        #expect(stranger.refusal == .notFound)
        try bench.set([0], labels("kitchen"))
        #expect(try bench.labelled(token: Bench.viewerToken).count == 1)
        #expect(try bench.labelled(token: Bench.strangerToken).isEmpty)
    }

    @Test("Labelling more devices than an account's share is refused, and relabelling one is not")
    func quota() throws {
        bench.recordBatches = [
            (0..<Limits.accountLabelledDevices).map { index in
                ServiceRecord(
                    service: LabelRequest.service, account: .demo,
                    key: Array(DeviceID(fleetSeed: 9, index: UInt64(index)).description.utf8),
                    value: DeviceLabels(labels: labels("old")).wireBytes)
            }
        ]
        try bench.restartWithNode()
        let full = try #require(throws: Bench.Refused.self) { try bench.set([0], labels("kitchen")) }
        #expect(full.refusal?.problem?.contains("20000 devices") == true)
        try bench.set([0], [])
    }

    @Test("Labels of 1,000 devices are published in updates of at most 3 KiB")
    func largeUpdate() throws {
        let bench = Bench.withDevices(1_000)
        let longest = (10..<26).map { String(repeating: "x", count: 30) + "\($0)" }.compactMap { Label($0) }
        try bench.set(Array(0..<1_000), longest)
        let contents = bench.effects.compactMap { effect -> [UInt8]? in
            guard case .publish(_, let update) = effect, case .service(let message) = update.body else {
                return nil
            }
            return message.content
        }
        #expect(contents.count == 5)
        #expect(contents.allSatisfy { $0.count <= Limits.serviceUpdateBytes })
    }

    @Test("A list of more than 100 devices continues after the last device")
    func chunks() throws {
        let bench = Bench.withDevices(250)
        for start in [0, 100, 200] { try bench.set(Array(start..<min(250, start + 100)), labels("a")) }
        var found: [DeviceID] = []
        var isLast = false
        while !isLast, found.count <= 250 {
            guard
                case .list(let devices, let last) = try bench.answer(to: LabelRequest.list(after: found.last))
            else { return }
            found += devices.map(\.device)
            isLast = last
        }
        #expect(found == (0..<250).map(Bench.device).sorted())
    }

    @Test("A stored record that is not a device's labels is ignored and counted")
    func unreadable() throws {
        bench.recordBatches.append([
            ServiceRecord(service: LabelRequest.service, account: .demo, key: [1], value: [0xff])
        ])
        try bench.restart()
        #expect(bench.controller.unreadableRecords == 1)
        #expect(try bench.labelled().isEmpty)
    }
}
