import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Updates with several reports")
struct ReportTests {
    private let bench = Bench.withDevices()

    private func publish(_ rows: [DeviceRow], of bench: Bench) {
        bench.publish(rows)
    }

    @Test("several reports are one update, with all changes in order")
    func together() {
        bench.change(2, isOn: true)
        let first = bench.rows[2]
        bench.change(0, isOn: true)
        bench.change(2, isOn: false)
        publish([first, bench.rows[0], bench.rows[2]], of: bench)
        let expected = [first, bench.rows[0], bench.rows[2]].map {
            ReportedDevice(device: $0.device, state: $0.reported)
        }
        #expect(bench.updates.map(\.body) == [.reports(expected)])
    }

    @Test("a report of one device is an update of its own")
    func alone() {
        bench.change(1, isOn: true)
        bench.publish(1)
        #expect(bench.updates.map(\.body) == [.reported(bench.rows[1].device, bench.rows[1].reported)])
    }

    @Test("reports stay before later updates, and sequence numbers have no gap")
    func order() throws {
        let bench = Bench.withDevices(4)
        for index in 0..<3 { bench.change(index, isOn: true) }
        bench.change(1, isConnected: false)
        let numbers = bench.rows.sorted { $0.number < $1.number }
        publish(Array(numbers), of: bench)
        let reports = bench.reports
        let bodies: [StreamUpdate.Body] = [
            .reports([reports[0], reports[2], reports[1]]),
            .connection(bench.rows[1].device, isConnected: false),
        ]
        #expect(bench.updates.map(\.body) == bodies)
        let first = try #require(bench.updates.first)
        #expect(bench.updates.map(\.sequence) == [first.sequence, first.sequence.next])
    }

    @Test("reports are divided into as many updates as the size limit needs")
    func bounded() {
        let count = 2 * Limits.updateDevices + 1
        let bench = Bench.withDevices(count)
        for index in 0..<count { bench.change(index, isOn: true) }
        publish(bench.rows, of: bench)
        #expect(bench.updates.map(\.changeCount) == [Limits.updateDevices, Limits.updateDevices, 1])
    }
}
