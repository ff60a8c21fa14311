import FleetProtocol
import Foundation
import LoadCore
import ProcessSupport
import Synchronization
import Testing
import UserText

@testable import fleet

/// `fleet load --target http` with scripts in place of `http-load`.
@Suite("The process http-load", .timeLimit(.minutes(5)))
struct HTTPLoadProcessTests {
    /// A clock that stops until a file exists; from then on each pause advances it.
    private final class HeldClock: Sendable {
        private let elapsed = Mutex(Duration.zero)
        private let file: String

        init(until file: String) { self.file = file }

        var time: Duration { elapsed.withLock { $0 } }

        func pause(_ duration: Duration) async throws {
            try await Surroundings.wait(for: .milliseconds(1))
            if FileManager.default.fileExists(atPath: file) { elapsed.withLock { $0 += duration } }
        }
    }

    /// The end of a run.
    private struct Ended {
        let failure: CommandFailure?
        let measured: Int
        let elapsed: Duration
    }

    private static let start = MonotonicTime(nanoseconds: 1_000_000_000)
    /// Lines of a script that answers the order to open connections, and reads the next one.
    private static let opening = "read order; \(printing(.opened)); read order"

    private static func plan() throws -> LoadPlan { try LoadPlan(.inFlight(1), duration: .seconds(3)) }

    /// The line of a script that prints a report.
    private static func printing(_ report: HTTPLoadReport) -> String {
        let line = String(decoding: HTTPLoadLine.of(report).dropLast(), as: UTF8.self)
        return "printf '%s\\n' '\(line)'"
    }

    /// Runs a load with a script as `http-load`, in whose directory the file `hung` lets the time pass.
    private func measure(
        _ script: String, interruption: LoadInterruption = LoadInterruption(),
        in place: TemporaryRunDirectory, watching watch: @escaping @Sendable (String?) -> Void = { _ in }
    ) async throws -> Ended {
        let path = place.directory.path
        try "#!/bin/sh\ncd \(path)\n\(script)\n"
            .write(toFile: "\(path)/http-load", atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(path)/http-load")
        let clock = HeldClock(until: "\(path)/hung")
        var surroundings = Surroundings.test(Transcript())
        surroundings.executable = "\(path)/fleet"
        surroundings.now = {
            Moment(monotonic: Self.start.advanced(by: clock.time), wall: WallTime(unixMilliseconds: 0))
        }
        surroundings.pause = { try await clock.pause($0) }
        surroundings.terminal.showProgress = watch
        let process = HTTPLoadProcess(
            plans: [try Self.plan()], objectives: [], surroundings: surroundings,
            interruption: interruption,
            watch: LoadWatch(
                [], isLive: false, exportingTo: LoadExport(file: nil, push: nil, in: surroundings),
                stopping: interruption, in: surroundings))
        do {
            let measured = try await process.measure(
                on: [.sample("Attic")], of: try #require(GatewayURL("http://127.0.0.1:1")), trusting: nil,
                as: .sample)
            return Ended(failure: nil, measured: measured.count, elapsed: clock.time)
        } catch let failure as CommandFailure {
            return Ended(failure: failure, measured: 0, elapsed: clock.time)
        }
    }

    @Test(
        "a process that is silent is ended after 15 s, even if it ignores SIGTERM",
        arguments: ["", "trap '' TERM", opening])
    func silent(beginning: String) async throws {
        let place = try TemporaryRunDirectory()
        let ended = try await measure("\(beginning)\n: > hung\nexec sleep 60", in: place)
        let failure = try #require(ended.failure)
        #expect(failure.status == .absent)
        #expect(failure.problem == "http-load was silent for 15s, and was ended")
        #expect((.seconds(15)...(.seconds(16))).contains(ended.elapsed))
    }

    @Test("the first two interruptions are orders, and the third ends the process")
    func interruptions() async throws {
        let (place, interruption) = (try TemporaryRunDirectory(), LoadInterruption())
        let orders = "\(place.directory.path)/orders"
        var load = Load(
            try Self.plan(), devices: [DeviceID(fleetSeed: 1, index: 0)], idSeed: 1,
            startingAt: Self.start)
        let progress = Self.printing(.progress(load.progress(at: Self.start)))
        let script = """
            \(Self.opening)
            \(progress)
            read first; read second
            echo "$first $second" > written; mv written orders
            exec sleep 60
            """
        let (steps, feed) = AsyncStream.makeStream(of: Void.self)
        async let ended = measure(script, interruption: interruption, in: place) { line in
            if line != nil { feed.yield() }
        }
        for await _ in steps { break }
        await interruption.come()
        await interruption.come()
        while !FileManager.default.fileExists(atPath: orders) {
            try await Surroundings.wait(for: .milliseconds(1))
        }
        await interruption.come()
        #expect(try await ended.failure?.problem == "interrupted: http-load was ended before its result")
        let text = try String(contentsOfFile: orders, encoding: .utf8)
        #expect(text == "{\"stop\":{}} {\"abandon\":{}}\n")
    }

    @Test("a process that hangs after its result is ended, and the result counts")
    func hungAtTheEnd() async throws {
        let load = Load(
            try Self.plan(), devices: [DeviceID(fleetSeed: 1, index: 0)], idSeed: 1,
            startingAt: Self.start)
        let result = Self.printing(.measured(load.measurement(against: [])))
        let ended = try await measure(
            "\(Self.opening)\n\(result)\nexec sleep 60", in: try TemporaryRunDirectory())
        #expect(ended.failure == nil && ended.measured == 1)
    }

    @Test(
        "each failure has advice for its cause",
        arguments: [
            (HTTPLoadFailure.Cause.unreachable, "`fleet status` shows"), (.untrusted, "--ca FILE names"),
            (.otherHost, "in --url"), (.certificateFile, "--ca takes a readable file"),
            (.order, "programs of the same build"),
        ])
    func advice(cause: HTTPLoadFailure.Cause, advice: String) async throws {
        let report = Self.printing(.failed(HTTPLoadFailure(cause, "cannot connect")))
        let ended = try await measure("read order; \(report); read order", in: try TemporaryRunDirectory())
        let failure = try #require(ended.failure)
        #expect(failure.problem == "cannot connect")
        #expect(failure.advice.contains(advice))
        #expect(failure.status == (cause == .order ? .bug : .absent))
    }

    @Test("a process that reports without end is late after the load, its answers and 30 s")
    func endless() throws {
        let plan = try Self.plan()
        var wait = HTTPLoadWait(at: Self.start)
        wait.began(plan, at: Self.start)
        let longest = plan.duration + plan.answerTime + .seconds(30)
        var now = Self.start
        while wait.failure(at: now) == nil {
            now = now.advanced(by: .seconds(1))
            wait.reported(at: now)
            try #require(Self.start.duration(to: now) <= longest)
        }
        #expect(Self.start.duration(to: now) == longest)
        #expect(wait.failure(at: now)?.problem.contains("sent no result within") == true)
    }

    @Test("an interrupted load ends with its last answers, and 30 s later is late")
    func interruptedWait() throws {
        let plan = try LoadPlan(.inFlight(1), duration: .seconds(3_600), timeout: .seconds(2))
        for (count, seconds) in [(1, 33), (2, 30)] {
            var wait = HTTPLoadWait(at: Self.start)
            wait.began(plan, at: Self.start)
            wait.interrupted(count, at: Self.start)
            let before = Self.start.advanced(by: .seconds(seconds - 1))
            let end = Self.start.advanced(by: .seconds(seconds))
            wait.reported(at: before)
            #expect(wait.failure(at: before) == nil)
            #expect(wait.failure(at: end) != nil)
        }
    }
}
