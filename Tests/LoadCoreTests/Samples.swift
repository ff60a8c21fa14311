import FleetProtocol
import Testing

@testable import LoadCore

extension LoadEnvironment {
    /// A machine.
    static func sample(cores: Int = 2, processor: String = "Some <processor> & \"more\"") -> LoadEnvironment {
        var environment = LoadEnvironment(
            processor: processor, cores: cores, kernel: "Linux 6.1", libzmq: "4.3.4", loadAverage: 0.25,
            startedAt: "2026-01-31T12:00:00.000Z")
        environment.command = "fleet load --slo 'p99<5ms'"
        environment.testerVersion = "1.2.3, protocol 4"
        environment.fleetVersion = "1.2.4, protocol 4"
        environment.scenario = "quiet"
        return environment
    }
}

/// Expects that a plan's text or values are refused with those parts of a reason.
func expectRefusal<Value>(
    _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation, of make: () throws -> Value
) {
    let error = #expect(throws: PlanError.self, "\(parts)", sourceLocation: sourceLocation) {
        _ = try make()
    }
    let reason = error?.description ?? ""
    #expect(parts.allSatisfy(reason.contains), "\(reason)", sourceLocation: sourceLocation)
}

extension LoadReport {
    /// A report on one load without objectives.
    static func of(_ result: LoadResult) -> LoadReport {
        LoadReport(steps: [.init(result: result, objectiveResults: [])], environment: .sample())
    }

    /// A report on loads of those rates against a fleet of that latency.
    static func sample(
        rates: [Double] = [500], delay: Duration = .milliseconds(2), objectives: [String] = ["p99<5ms"],
        environment: LoadEnvironment = .sample()
    ) throws -> LoadReport {
        let objectives = try objectives.map { try Objective($0) }
        let steps = try rates.map { rate in
            let plan = try LoadPlan.open(
                perSecond: rate, .poisson, duration: .seconds(5), cancelRatio: 0.1, retryRatio: 0.1)
            var run = VirtualRun(plan)
            try run.finish { message, _ in
                guard case .cancel(let id, _) = message.request.body else {
                    return .init(delay: delay, body: message.report())
                }
                return .init(delay: delay, body: .cancel(id, .cancelled))
            }
            let measured = run.load.measurement(against: objectives)
            return Step(result: measured.result, objectiveResults: measured.objectiveResults)
        }
        return LoadReport(steps: steps, environment: environment)
    }
}
