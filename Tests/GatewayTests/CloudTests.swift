import FleetProtocol
import GatewayCore
import ProcessSupport
import Synchronization
import Testing

@testable import gateway

@Suite("Cloud faults of API requests")
struct CloudTests {
    /// The result of a request: its answer or error, and how often it was executed.
    private struct Passed {
        let result: Result<APIResponse, APIError>
        let carriedOut: Int

        var answer: APIResponse? { try? result.get() }

        var status: Int? {
            guard case .failure(let error) = result else { return answer?.status }
            return error.status
        }
    }

    private static func cloud(_ fault: CloudFault, for time: Duration = .seconds(60)) -> Cloud {
        let clock = SystemClock()
        let cloud = Cloud(clock: { clock.now() })
        let planned = PlannedCloudFault(number: 1, fault: fault, span: .injected(age: .zero, remaining: time))
        cloud.apply(CloudPlan(revision: 1, faults: [planned]))
        return cloud
    }

    @Test("a plan sets the clock of the API, which its daily faults follow")
    func clock() throws {
        let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
        let now = Mutex(start)
        let cloud = Cloud(clock: { now.withLock { $0 } })
        var fault = CloudFault(.offline)
        fault.pods = ["x"]
        // A minute takes a second: from 08:00 to 08:01, ten seconds after the beginning.
        let planned = PlannedCloudFault(
            number: 1, fault: fault, span: .daily(from: 8 * 3_600, to: 8 * 3_600 + 60, rest: .zero))
        cloud.apply(
            CloudPlan(
                revision: 1, day: CloudDay(speed: 60, start: 7 * 3_600 + 3_000), elapsed: .seconds(3),
                faults: [planned], beganAt: start.wall))
        #expect(cloud.podFaults == nil)
        now.withLock { $0 = start.advanced(by: .milliseconds(10_500)) }
        #expect(cloud.podFaults != nil)
        now.withLock { $0 = start.advanced(by: .milliseconds(11_500)) }
        #expect(cloud.podFaults == nil)
    }

    private static func pass(_ cloud: Cloud) async -> Passed {
        let carriedOut = Mutex(0)
        do throws(APIError) {
            let met = CloudRequest(isWrite: true, path: "/api/v2/pods/x")
            let answer = try await cloud.pass(met) { _ async throws(APIError) in
                carriedOut.withLock { $0 += 1 }
                return .done
            }
            return Passed(result: .success(answer), carriedOut: carriedOut.withLock { $0 })
        } catch {
            return Passed(result: .failure(error), carriedOut: carriedOut.withLock { $0 })
        }
    }

    @Test("an error fault is answered without execution, as often as it says")
    func error() async {
        var fault = CloudFault(.error)
        (fault.status, fault.times) = (503, 1)
        let cloud = Self.cloud(fault)
        let first = await Self.pass(cloud)
        #expect(first.status == 503)
        #expect(first.carriedOut == 0)
        let second = await Self.pass(cloud)
        #expect(second.answer == .done)
        #expect(second.carriedOut == 1)
        #expect(cloud.report.meetings == [.init(number: 1, met: 1)])
    }

    @Test("a lost-result fault loses the result of an executed request")
    func noResult() async {
        let passed = await Self.pass(Self.cloud(CloudFault(.noResult)))
        #expect(passed.answer == APIResponse.done.withoutResult)
        #expect(passed.carriedOut == 1)
    }

    @Test("a slow fault delays the answer of an executed request")
    func slow() async {
        var fault = CloudFault(.slow)
        fault.delay = .milliseconds(300)
        let clock = SystemClock()
        let start = clock.now().monotonic
        let passed = await Self.pass(Self.cloud(fault))
        #expect(passed.answer == .done)
        #expect(passed.carriedOut == 1)
        #expect(start.duration(to: clock.now().monotonic) >= .milliseconds(300))
    }

    @Test("a hanging request is not executed, and fails when the fault ends", .timeLimit(.minutes(1)))
    func hang() async {
        let passed = await Self.pass(Self.cloud(CloudFault(.hang), for: .milliseconds(300)))
        #expect(passed.status == 504)
        #expect(passed.carriedOut == 0)
    }

    @Test(
        "a hanging or slow request continues as soon as the fault is healed", .timeLimit(.minutes(1)),
        arguments: [CloudFault.Kind.hang, .slow])
    func healed(kind: CloudFault.Kind) async {
        let cloud = Self.cloud(CloudFault(kind), for: .seconds(3_600))
        async let waiting = Self.pass(cloud)
        while cloud.report.meetings.isEmpty { await Task.yield() }
        cloud.apply(CloudPlan(revision: 2))
        #expect(await waiting.status == (kind == .hang ? 504 : 200))
    }

    @Test("failures and the limit are passed to the execution of a request")
    func treatment() async throws {
        for kind in [CloudFault.Kind.failed, .limit] {
            let met = CloudRequest(isWrite: true, path: "/api/v2/pods/x")
            let answer = try await Self.cloud(CloudFault(kind)).pass(met) {
                treatment async throws(APIError) in
                #expect(treatment.fails == (kind == .failed))
                #expect(treatment.isLimited == (kind == .limit))
                return .done
            }
            #expect(answer == .done)
        }
    }

    @Test("pods are unchanged except by faults of pods")
    func pods() {
        #expect(Self.cloud(CloudFault(.error)).podFaults.map { _ in true } == nil)
        for kind in CloudFault.Kind.allCases where kind.isOfPods {
            #expect(Self.cloud(CloudFault(kind)).podFaults.map { _ in true } == true)
        }
    }
}
