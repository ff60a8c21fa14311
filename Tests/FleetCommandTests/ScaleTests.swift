import FleetClient
import FleetProtocol
import Synchronization
import Testing

@testable import fleet

@Suite("fleet scale", .timeLimit(.minutes(1)))
struct ScaleTests {
    /// Retires devices of a fleet of that size, with a controller that gives the closure's reply.
    private func retire(
        _ size: FleetSize, known: UInt32? = nil, _ answer: @escaping @Sendable ([DeviceID]) -> OrderReport
    ) async throws -> Transcript {
        let place = try TemporaryRunDirectory()
        let controller = try await ScriptedController.open(in: place.directory) { body in
            guard case .retire(let devices) = body else { return nil }
            return .carriedOut(answer(devices))
        }
        let credentials = Credentials(user: .demo, token: .sample)
        let transcript = Transcript()
        let surroundings = Surroundings.test(transcript)
        let result: Result<Void, any Error>
        do {
            try await ControllerAccess(to: place.directory, in: surroundings).withClient(credentials) {
                client in
                try await DeviceRetirement(client: client, surroundings: surroundings)
                    .run(size, known: known ?? size.hosted)
            }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        await controller.close()
        try result.get()
        return transcript
    }

    @Test("after an interrupted scale, devices that only the controller knows are retired too")
    func interrupted() async throws {
        let asked = Mutex<[[DeviceID]]>([])
        _ = try await retire(FleetSize(seed: 3, devices: 10, hosted: 10, nodes: 1), known: 12) { devices in
            asked.withLock { $0.append(devices) }
            return OrderReport(devices: UInt32(devices.count))
        }
        let expected = [11, 10].map { DeviceID(fleetSeed: 3, index: $0) }
        #expect(asked.withLock { $0 } == [expected, []])
    }

    @Test("devices are retired from the end, in orders of at most the maximum size")
    func order() async throws {
        let asked = Mutex<[[DeviceID]]>([])
        let size = FleetSize(seed: 3, devices: 400, hosted: 2_900, nodes: 1)
        _ = try await retire(size) { devices in
            asked.withLock { $0.append(devices) }
            return OrderReport(devices: UInt32(devices.count), nodes: 1)
        }
        let orders = asked.withLock { $0 }
        #expect(orders.map(\.count) == [1_000, 1_000, 500, 0], "the last order waits until all are stored")
        let expected = (UInt64(400)..<2_900).reversed().map { DeviceID(fleetSeed: 3, index: $0) }
        #expect(orders.flatMap { $0 } == expected)
    }

    @Test("no order is sent if no device has to be retired")
    func none() async throws {
        _ = try await retire(FleetSize(seed: 3, devices: 40, hosted: 40, nodes: 1)) { _ in
            Issue.record("a device was retired")
            return OrderReport()
        }
    }

    @Test("a retire order that a node does not answer is repeated, at most five times")
    func silence() async throws {
        let tries = Mutex(0)
        let size = FleetSize(seed: 3, devices: 1, hosted: 2, nodes: 1)
        _ = try await retire(size) { devices in
            guard !devices.isEmpty else { return OrderReport() }
            tries.withLock { $0 += 1 }
            return OrderReport(silentNodes: tries.withLock { $0 } < 3 ? 1 : 0)
        }
        #expect(tries.withLock { $0 } == 3)
        let failure = await #expect(throws: CommandFailure.self) {
            try await retire(size) { _ in OrderReport(silentNodes: 1) }
        }
        #expect(failure?.status == .undecided)
    }

    @Test("a node that refuses to retire its devices ends the command")
    func refusal() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await retire(FleetSize(devices: 1, hosted: 2, nodes: 1)) { _ in OrderReport(refusingNodes: 1)
            }
        }
        #expect(failure?.status == .refused)
    }

    @Test("a scale is complete when that many devices are known, and late after its timeout")
    func arrival() {
        func moment(_ milliseconds: Int) -> MonotonicTime { .zero.advanced(by: .milliseconds(milliseconds)) }
        var arrival = Arrival(of: 40_000, at: .zero)
        #expect(arrival.judge(39_999, at: moment(10)) == .again(notify: nil))
        #expect(arrival.judge(100, at: moment(1_000)) == .again(notify: "100 devices known, 40000 wanted"))
        #expect(arrival.judge(100, at: moment(1_010)) == .again(notify: nil))
        #expect(
            arrival.judge(40_001, at: moment(31_999)) == .again(notify: "40001 devices known, 40000 wanted"))
        #expect(arrival.judge(40_001, at: moment(32_000)) == .late)
        #expect(arrival.judge(40_000, at: moment(33_000)) == .arrived)
    }
}
