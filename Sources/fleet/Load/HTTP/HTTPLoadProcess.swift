import FleetProtocol
import LoadCore
import ProcessSupport
import Subprocess
import UserText

/// The process `http-load`, which sends the requests of a load over HTTP.
struct HTTPLoadProcess: Sendable {
    private typealias Lines = HTTPLoadProgram.Lines

    let plans: [LoadPlan]
    let objectives: [Objective]
    let surroundings: Surroundings
    /// Ctrl-C: the first stops a load, the second also stops waiting for answers, the third ends the process.
    let interruption: LoadInterruption
    let watch: LoadWatch

    /// Runs the loads.
    ///
    /// - Parameters:
    ///   - devices: The devices, whose states alternate from their present ones.
    ///   - session: The session whose token each request has.
    /// - Throws: `CommandFailure` if the gateway cannot be reached or the process does not answer, and errors
    ///   of the process.
    func measure(
        on devices: [ListedDevice], of gateway: GatewayURL, trusting certificates: String?,
        as session: StoredSession
    ) async throws -> [LoadMeasurement] {
        let opening = HTTPLoadOpening(
            url: gateway, certificates: certificates,
            token: CellToken(session.token, in: session.cell).text, connections: plans[0].connections,
            states: devices.map { .init(device: $0.id.description, isOn: $0.reported.state.isOn) })
        let timer = HTTPLoadTimer(surroundings)
        return try await withThrowingTaskGroup(of: [LoadMeasurement].self) { group in
            // It is cancelled if the wait ends first, which ends the process.
            group.addTask { try await run(opening, within: timer) }
            group.addTask { throw try await timer.failure() }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    /// Starts the process, and runs the loads.
    private func run(
        _ opening: HTTPLoadOpening, within timer: HTTPLoadTimer
    ) async throws -> [LoadMeasurement] {
        await interruption.handle { interrupt(timer) }
        return try await HTTPLoadProgram(in: surroundings).run { process, lines in
            let writer = process.standardInputWriter
            try await send(.open(opening), to: writer)
            guard case .opened = try await report(from: &lines, within: timer) else { throw Self.disorder }
            await interruption.handle {
                interrupt(timer)
                // A process that has ended needs no order.
                _ = try? await send(interruption.count > 1 ? .abandon : .stop, to: writer)
            }
            var measured: [LoadMeasurement] = []
            defer { watch.end() }
            for plan in plans where measured.isEmpty || !interruption.hasCome {
                watch.begin(plan, measured.count, of: plans.count)
                let text = LoadSummary.text(for: plan, devices: opening.states.count)
                surroundings.notify("fleet: \(text), over HTTP to \(opening.url)")
                timer.change { $0.began(plan, at: $1) }
                try await send(.run(LoadResult.Plan(plan), objectives: objectives.map(\.text)), to: writer)
                measured.append(try await result(from: &lines, within: timer))
            }
            // It ends when its input ends; one that does not is ended.
            try await writer.finish()
            await process.teardown(using: HTTPLoadProgram.options.teardownSequence)
            return measured
        }
    }

    private func interrupt(_ timer: HTTPLoadTimer) {
        timer.change { $0.interrupted(interruption.count, at: $1) }
    }

    private func send(_ order: HTTPLoadOrder, to writer: StandardInputWriter) async throws {
        _ = try await writer.write(HTTPLoadLine.of(order))
    }

    private func result(
        from lines: inout Lines, within timer: HTTPLoadTimer
    ) async throws -> LoadMeasurement {
        while true {
            switch try await report(from: &lines, within: timer) {
            case .progress(let step): await watch.follow(step)
            case .measured(let measurement): return measurement
            case .opened, .failed: throw Self.disorder
            }
        }
    }

    /// Returns the next report.
    ///
    /// - Throws: `CommandFailure` for a failure, and if there is none.
    private func report(
        from lines: inout Lines, within timer: HTTPLoadTimer
    ) async throws -> HTTPLoadReport {
        guard let line = try await lines.next() else {
            throw CommandFailure(
                .refused, "http-load ended without a result", advice: "its messages are above")
        }
        timer.change { $0.reported(at: $1) }
        let report = try HTTPLoadLine.decode(HTTPLoadReport.self, from: Array(line.utf8))
        if case .failed(let failure) = report { throw CommandFailure(failure) }
        return report
    }

    private static let disorder = CommandFailure(
        .bug, "http-load has sent another report than expected",
        advice: "use programs of the same build")
}

extension CommandFailure {
    /// The failure of a load that `http-load` cannot run, with advice for its cause.
    fileprivate init(_ failure: HTTPLoadFailure) {
        let advice =
            switch failure.cause {
            case .unreachable: "`fleet status` shows whether the gateway runs"
            case .untrusted: "--ca FILE names the certificates to trust, PEM"
            case .otherHost: "give a host name or an address that the certificate has in --url"
            case .certificateFile: "--ca takes a readable file with certificates, PEM"
            case .builtWithoutTLS: "build it with `make build`, or with `swift build --traits TLS`"
            case .order: "use programs of the same build"
            }
        self.init(failure.cause == .order ? .bug : .absent, SafeText.of(failure.reason), advice: advice)
    }
}
