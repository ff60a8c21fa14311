import FleetProtocol
import FleetReplica
import GatewayCore
import NIOCore
import ProcessSupport
import Synchronization
import Testing
import UserText

@testable import gateway

@Suite("Caching of metrics")
final class MetricsPageTests: Sendable {
    /// A clock that the test advances.
    private final class Clock: Sendable {
        private let passed = Mutex(Duration.zero)
        private let start = SystemClock().now()

        var now: Moment { start.advanced(by: passed.withLock { $0 }) }

        func advance(by time: Duration) { passed.withLock { $0 += time } }
    }

    private let clock = Clock()
    private let measurements = Mutex(0)

    private func measure() -> Int {
        measurements.withLock { count in
            count += 1
            return count
        }
    }

    private func text(
        _ page: MetricsPage<Int>, for account: CellAccount? = nil,
        measuring measure: @Sendable () async -> Int
    ) async -> String {
        String(
            buffer: await page.text(for: account, measuring: measure) { number, account in
                ByteBuffer(string: (account?.account.name ?? "") + String(number))
            })
    }

    @Test("requests during a measurement share its result")
    func coalesced() async {
        let page = MetricsPage<Int>(clock: { [clock] in clock.now })
        let (hasBegun, begin) = AsyncStream.makeStream(of: Void.self)
        let (mayEnd, end) = AsyncStream.makeStream(of: Void.self)
        let texts = await withTaskGroup { group in
            group.addTask {
                await self.text(page) {
                    begin.finish()
                    for await _ in mayEnd {}
                    return self.measure()
                }
            }
            for await _ in hasBegun {}
            for _ in 0..<100 { group.addTask { await self.text(page) { self.measure() } } }
            end.finish()
            return await group.reduce(into: [String]()) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "1", count: 101))
    }

    @Test("a measurement is returned for a second from its beginning, and is then repeated")
    func aged() async {
        let page = MetricsPage<Int>(clock: { [clock] in clock.now })
        #expect(await text(page) { self.measure() } == "1")
        clock.advance(by: .milliseconds(999))
        #expect(await text(page) { self.measure() } == "1")
        clock.advance(by: .milliseconds(1))
        #expect(await text(page) { self.measure() } == "2")
    }

    @Test("each account gets its own text of one measurement")
    func accounts() async throws {
        let page = MetricsPage<Int>(clock: { [clock] in clock.now })
        for name in ["demo", "other", "demo"] {
            let account = CellAccount(try #require(AccountID(name)), in: nil)
            #expect(await text(page, for: account) { self.measure() } == "\(name)1")
        }
        #expect(await text(page) { self.measure() } == "1")
        clock.advance(by: .seconds(1))
        let demo = CellAccount(try #require(AccountID("demo")), in: nil)
        #expect(await text(page, for: demo) { self.measure() } == "demo2")
    }

    @Test("an account reads its own series, and those of processes except other accounts' nodes")
    func narrowed() throws {
        let (demo, other) = (try #require(AccountID("demo")), try #require(AccountID("other")))
        var measurement = FleetMeasurement()
        measurement.processes = ["controller", "node-1", "node-2", "node-3"].map {
            (FleetProcess(name: $0, state: .running, processID: nil, restarts: 0), nil)
        }
        let places = [(demo, "c1"), (other, "c2")].map { account, cell in
            CellAccount(account, in: CellName(cell))
        }
        measurement.controllers = places.map { place in
            var controller = ControllerMetrics(of: place.cell)
            controller.counters = CounterReport.Controller()
            return controller
        }
        measurement.nodes = try zip(places, ["node-1", "node-2"]).map { place, node in
            (place, CounterReport.Node(name: try #require(NodeName(node)), counters: NodeCounters()))
        }
        measurement.accounts = places.map {
            ($0, FleetMetrics(), FleetMetrics.Summary(Replica(random: SeededGenerator(seed: 1))), 0)
        }
        for (place, own, foreign) in [(places[0], "node-1", "node-2"), (places[1], "node-2", "node-1")] {
            var text = MetricsText()
            measurement.narrowed(to: place).write(to: &text)
            let (cell, strange) = place.account == demo ? ("c1", "c2") : ("c2", "c1")
            for part in [
                "controller", own, "account=\"\(place.account.name)\"",
                "requests_total{cell=\"\(cell)\"}",
            ] {
                #expect(text.text.contains(part))
            }
            let stranger = place.account == demo ? other : demo
            for part in [foreign, "node-3", "account=\"\(stranger.name)\"", "cell=\"\(strange)\""] {
                #expect(!text.text.contains(part))
            }
        }
        var text = MetricsText()
        measurement.write(to: &text)
        for part in ["node-1", "node-2", "node-3", "account=\"demo\"", "account=\"other\""] {
            #expect(text.text.contains(part))
        }
    }

    @Test(
        "an account that is newer than a measurement reads its controller's metrics", arguments: [nil, "c1"])
    func newAccount(cell: String?) throws {
        let cell = cell.flatMap { CellName($0) }
        var measurement = FleetMeasurement()
        measurement.controllers = [ControllerMetrics(of: cell)]
        measurement.controllers[0].counters = CounterReport.Controller()
        var text = MetricsText()
        measurement.narrowed(to: CellAccount(try #require(AccountID("new")), in: cell)).write(to: &text)
        #expect(text.text.contains("sensibus_controller_requests_total"))
    }
}
