import DeviceLogs
import FleetClient
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// A fleet under load and faults, followed by the checks.
final class TortureRun {
    private static let clock = ContinuousClock()
    private static let residentAtMostMiB = 512
    private static let descriptorsAtMost = 256
    /// Segments of 32 MiB at most, whose outcomes are still retained.
    private static let journalAtMostMiB = 512
    /// The maximum number of wrong answers to the page that are listed.
    private static let reportedAtMost = 10

    private let fleet: TortureFleet
    private let plan: TorturePlan
    private let disk: TortureFleet.Disk?
    private let history = History()
    private let observer = TortureObserver()
    private let page: TorturePage
    private let isRushed = Box<Bool>()
    private let sampler = Sampler()
    private let director: Director
    private var violations: [Violation] = []
    private var recoveries = Recoveries()
    private var last: LastRequests?

    init(_ fleet: TortureFleet, disk: TortureFleet.Disk?) {
        (self.fleet, self.disk) = (fleet, disk)
        plan = fleet.plan
        page = TorturePage(of: fleet, history, isRushed: isRushed)
        director = Director(fleet, disk: disk, observer: observer, history, isRushed: isRushed)
    }

    /// Runs it to its end in its own directory, on one host.
    static func run(_ plan: TorturePlan) async throws -> TortureReport {
        try await Lab.withLab { try await run(TortureFleet($0, plan)) }
    }

    /// Runs it to its end over several hosts.
    ///
    /// - Parameter isRelayed: Whether nodes and clients reach the controller through relays.
    static func runOverHosts(_ plan: TorturePlan, isRelayed: Bool = true) async throws -> TortureReport {
        let report = Box<TortureReport>()
        try await TortureNetwork.with(nodes: TortureFleet.nodeNames, seed: plan.seed, isRelayed: isRelayed) {
            let server = try $0.hosts[TortureNetwork.server]
            report.value = try await run(TortureFleet(server.lab, plan, network: $0))
        }
        return try #require(report.value)
    }

    private static func run(_ fleet: TortureFleet) async throws -> TortureReport {
        try fleet.directory.create()
        try #require(mkdir(fleet.directory.journalDirectory, 0o700) == 0, "errno \(errno)")
        let disk = TortureFleet.Disk(mountedOn: fleet.directory.journalDirectory)
        defer { disk?.unmount() }
        return try await TortureRun(fleet, disk: disk).run()
    }

    private func run() async throws -> TortureReport {
        let start = Self.clock.now
        try await fleet.up()
        try await withClients { clients in
            try await torture(clients)
            try await heal(clients[0])
            let last = LastRequests(of: clients)
            self.last = last
            await last.resolve(except: page.ends.keys)
            try await last.finish(seed: plan.seed)
        }
        try await director.end()
        violations += director.violations
        violations += observer.surprises.map { Violation(promise: .processes, text: "an observer: \($0)") }
        judgeBounds()
        let isDurable = plan.durability != "none"
        if isDurable { last?.judgeShown(director.devices.states) }
        violations += last?.violations ?? []
        var judge = Judge(history.all, isDurable ? director.devices : nil)
        violations += judge.violations()
        violations += TorturePage.contradictions(of: page.ends, in: history.all).prefix(Self.reportedAtMost)
        return report(took: Self.clock.now - start, isDurable: isDurable)
    }
}

// The parts of a run, in order.
extension TortureRun {
    /// Load and faults at once, until both are done.
    private func torture(_ clients: [TortureClient]) async throws {
        let isOver = Box<Bool>()
        let (fleet, observer, page, sampler, seed) = (fleet, observer, page, sampler, plan.seed)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<plan.clientToggles {
                let client = clients[worker % clients.count]
                let seed = SeededGenerator.mixed(seed &+ UInt64(worker))
                group.addTask {
                    await client.work(seed: seed) { isOver.value == true || Task.isCancelled }
                }
            }
            let devices = clients[0].devices
            for number in 0..<plan.pages {
                group.addTask {
                    try await page.work(on: devices, number: number) {
                        isOver.value == true || Task.isCancelled
                    }
                }
            }
            group.addTask { try await observer.run(in: fleet) }
            group.addTask { await sampler.run(fleet) { isOver.value == true || Task.isCancelled } }
            do {
                try await director.run()
                let timeout = Duration.seconds(60) + .milliseconds(plan.acknowledged * 20)
                _ = await Pace.look(for: timeout.slowed) {
                    history.acknowledged >= plan.acknowledged && hasRecovered
                }
            } catch {
                observer.end()
                throw error
            }
            isOver.value = true
            observer.end()
            try await group.waitForAll()
        }
        if history.acknowledged < plan.acknowledged {
            fail(.recovery, "only \(history.acknowledged) toggles were acknowledged")
        }
        recoveries = Recoveries(after: director.kills, in: history)
        violations += recoveries.violations + plan.missed(director.struck, hasDisk: disk != nil)
        if !isPageBack { fail(.recovery, "no toggle over HTTP succeeded after the gateway was killed") }
    }

    /// Whether new toggles have succeeded since the last kills of the controller and the gateway.
    private var hasRecovered: Bool {
        let isControllerBack = director.kills.last.map { history.firstSuccess(after: $0.at) != nil }
        return isControllerBack ?? true && isPageBack
    }

    /// Whether a toggle over HTTP has succeeded since the gateway's last kill.
    private var isPageBack: Bool {
        director.gatewayKilledAt.map(page.hasSucceeded) ?? true
    }

    /// Waits until all devices are online.
    private func heal(_ client: TortureClient) async throws {
        let took = await Pace.look(for: .seconds(10).slowed) {
            (try? await client.client.status())?.online == UInt32(TorturePlan.devices)
        }
        if took == nil { fail(.recovery, "not every device is online 10 s after the last fault") }
        let isServed = await Pace.look(for: .seconds(10).slowed) { await page.isReady() } != nil
        if !isServed { fail(.recovery, "the gateway does not know the fleet 10 s after the last fault") }
    }

    private func judgeBounds() {
        if sampler.journalAtMostMiB > Self.journalAtMostMiB {
            fail(.bounds, "the journal took \(sampler.journalAtMostMiB) MiB")
        }
        for (name, peak) in sampler.all.sorted(by: { $0.key < $1.key }) {
            if peak.residentMiB > Self.residentAtMostMiB, !Sanitizer.isPresent {
                fail(.bounds, "\(name) held \(peak.residentMiB) MiB")
            }
            if peak.descriptors > Self.descriptorsAtMost {
                fail(.bounds, "\(name) held \(peak.descriptors) descriptors")
            }
        }
    }

    private func fail(_ promise: Violation.Promise, _ text: String) {
        violations.append(Violation(promise: promise, text: text))
    }

    private func report(took: Duration, isDurable: Bool) -> TortureReport {
        var skipped: [String] = []
        if disk == nil { skipped.append("no disk was filled, for none can be mounted here") }
        return TortureReport(
            plan: plan, took: took, faults: director.struck, skipped: skipped, history: history.all,
            entries: isDurable ? director.devices.entries.values.reduce(0) { $0 + $1.count } : nil,
            recoveries: recoveries, healings: director.healings, stops: director.stops,
            resolved: last?.resolved ?? (.zero, 0),
            page: page.counts,
            peaks: sampler.all, journalMiB: sampler.journalAtMostMiB,
            openAtStarts: Self.openAtStarts(fleet), violations: violations, diary: director.diary)
    }

    /// The number of open requests that each run of the controller found in its journal, by its log.
    private static func openAtStarts(_ fleet: TortureFleet) -> [Int] {
        let log = try? String(contentsOfFile: fleet.directory.logFile(of: "controller"), encoding: .utf8)
        return (log ?? "").matches(of: /\bopen=([0-9]+)/).compactMap { Int($0.1) }
    }

    /// Connects as many clients as the plan has.
    private func withClients(_ body: ([TortureClient]) async throws -> Void) async throws {
        let session = try StoredSession.read(from: fleet.directory.sessionFile)
        let connection = try FleetConnection(fleet.clients.directory)
        try await connect([], connection.clientEndpoints, session.credentials, body)
    }

    private func connect(
        _ open: [FleetClient], _ endpoints: FleetClient.Endpoints, _ credentials: Credentials,
        _ body: ([TortureClient]) async throws -> Void
    ) async throws {
        guard open.count == TorturePlan.clients else {
            return try await FleetClient.withClient(
                of: endpoints, threadName: "client \(open.count)", credentials: credentials,
                clock: { SystemClock().now() }, seed: plan.seed &+ UInt64(open.count)
            ) { try await connect(open + [$0], endpoints, credentials, body) }
        }
        let devices = try await open[0].devices().rows.map(\.device).sorted()
        try #require(devices.count == TorturePlan.devices)
        try await body(
            open.indices.map {
                TortureClient(
                    client: open[$0], other: open[($0 + 1) % open.count], devices: devices, history: history,
                    isRushed: isRushed)
            })
    }
}
