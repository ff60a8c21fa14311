import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Labels of devices")
struct LabelTests {
    /// A bench with three devices of the account.
    private func bench() throws -> Bench {
        let bench = try Bench.withDevices(3)
        bench.effects = []
        return bench
    }

    private func device(_ index: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(index)) }

    private func labels(_ texts: String...) -> [Label] { texts.compactMap { Label($0) } }

    private func set(
        _ bench: Bench, _ devices: [Int], _ labels: [Label], token: TokenDigest? = Bench.token
    ) throws -> LabelReply {
        let assignment = LabelAssignment(devices: devices.map(device), labels: labels)
        return try bench.serve(LabelRequest.set(assignment), token: token)
    }

    private func updates(_ bench: Bench) throws -> [LabelUpdate] {
        try bench.updates(LabelUpdate.self, of: LabelRequest.service)
    }

    private func listed(_ bench: Bench, token: TokenDigest? = Bench.token) throws -> [LabelledDevice] {
        let reply = try bench.serve(LabelRequest.list(after: nil), token: token)
        guard case .list(let devices, isLast: true) = reply else { throw Refused(refusal: nil) }
        return devices
    }

    @Test("Setting labels sorts them, removes duplicates, and publishes the devices that changed")
    func set() throws {
        let bench = try bench()
        let sorted = labels("kitchen", "night")
        let devices = [device(0), device(1)].sorted()
        #expect(
            try set(bench, [0, 1, 0], labels("night", "kitchen", "night"))
                == .set(LabelAssignment(devices: devices, labels: sorted)))
        #expect(try listed(bench) == devices.map { LabelledDevice(device: $0, labels: sorted) })
        #expect(try updates(bench) == [.set(LabelAssignment(devices: devices, labels: sorted))])
        bench.effects = []
        _ = try set(bench, [1, 2], sorted)
        #expect(try updates(bench) == [.set(LabelAssignment(devices: [device(2)], labels: sorted))])
    }

    @Test("Setting the same labels again stores and publishes nothing")
    func unchanged() throws {
        let bench = try bench()
        _ = try set(bench, [0], labels("kitchen"))
        bench.effects = []
        _ = try set(bench, [0], labels("kitchen"))
        #expect(try updates(bench).isEmpty)
        #expect(!bench.effects.contains { if case .store = $0 { true } else { false } })
    }

    @Test("Labels are there after a restart of the controller, and removed ones are not")
    func restart() throws {
        let bench = try bench()
        _ = try set(bench, [0, 1], labels("kitchen"))
        _ = try set(bench, [1], [])
        try bench.restart()
        #expect(try listed(bench) == [LabelledDevice(device: device(0), labels: labels("kitchen"))])
        #expect(bench.controller.unreadableRecords == 0)
    }

    @Test("A viewer and another account are refused, and nothing changes")
    func access() throws {
        let bench = try bench()
        let viewer = try #require(throws: Refused.self) {
            try set(bench, [0], labels("kitchen"), token: Bench.viewerToken)
        }
        guard case .notAllowed = viewer.refusal else { throw viewer }
        let stranger = try #require(throws: Refused.self) {
            try set(bench, [0], labels("kitchen"), token: Bench.strangerToken)
        }
        #expect(stranger.refusal == .notFound)
        _ = try set(bench, [0], labels("kitchen"))
        #expect(try listed(bench, token: Bench.viewerToken).count == 1)
        #expect(try listed(bench, token: Bench.strangerToken).isEmpty)
    }

    @Test("Labelling more devices than an account's share is refused, and relabelling one is not")
    func quota() throws {
        let bench = try bench()
        let demo = try #require(AccountID("demo"))
        bench.recordBatches = [
            (0..<Limits.accountLabelledDevices).map { index in
                ServiceRecord(
                    service: LabelRequest.service, account: demo,
                    key: Array(DeviceID(fleetSeed: 9, index: UInt64(index)).description.utf8),
                    value: DeviceLabels(labels: labels("old")).wireBytes)
            }
        ]
        try bench.restartWithNode()
        let full = try #require(throws: Refused.self) { try set(bench, [0], labels("kitchen")) }
        guard case .invalid(let reason) = full.refusal else { throw full }
        #expect(reason.contains("20000 devices"))
        _ = try set(bench, [0], [])
    }

    @Test("Labels of 1,000 devices are published in updates of at most 3 KiB")
    func largeUpdate() throws {
        let bench = try Bench.withDevices(1_000)
        let longest = (10..<26).map { String(repeating: "x", count: 30) + "\($0)" }.compactMap { Label($0) }
        _ = try set(bench, Array(0..<1_000), longest)
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
        let bench = try Bench.withDevices(250)
        for start in [0, 100, 200] { _ = try set(bench, Array(start..<min(250, start + 100)), labels("a")) }
        var found: [DeviceID] = []
        var isLast = false
        while !isLast, found.count <= 250 {
            let reply = try bench.serve(LabelRequest.list(after: found.last))
            guard case .list(let devices, let last) = reply else { return }
            found += devices.map(\.device)
            isLast = last
        }
        #expect(found == (0..<250).map(device).sorted())
    }

    @Test("A stored record that is not a device's labels is ignored and counted")
    func unreadable() throws {
        let bench = try bench()
        let demo = try #require(AccountID("demo"))
        bench.recordBatches.append([
            ServiceRecord(service: LabelRequest.service, account: demo, key: [1], value: [0xff])
        ])
        try bench.restart()
        #expect(bench.controller.unreadableRecords == 1)
        #expect(try listed(bench).isEmpty)
    }
}
