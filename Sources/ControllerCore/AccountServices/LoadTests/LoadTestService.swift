import FleetProtocol

/// Load tests with several testers: it brings a coordinator and its testers together.
///
/// It keeps one load test for each account, in memory only. After a restart of the controller, the
/// coordinator opens its test again, and each tester takes its place again with its next report. Of a result
/// it holds one part for each tester, until the coordinator has pulled it.
struct LoadTestService: AccountService {
    private var tests: [AccountIndex: LoadTest] = [:]
    /// The load tests that their coordinators have ended, the last of each account: their testers may ask.
    private var ended: [AccountIndex: RequestID] = [:]

    func hasData(of account: AccountIndex) -> Bool { tests[account] != nil }

    mutating func handle(
        _ request: LoadTestRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<LoadTestReply> {
        if let refusal = context.caller.session.viewerRefusal { return .refusal(refusal) }
        let now = context.now.monotonic
        tests = tests.filter { !$0.value.isAbandoned(at: now) }
        switch request {
        case .open(let opening): return open(opening, in: context)
        case .join(let entry):
            return .reply(tests[context.account]?.join(entry, at: now).map { .order($0) } ?? .noOrder)
        case .end(let id):
            if tests[context.account]?.id == id { tests[context.account] = nil }
            if ended.count >= Limits.allLoadTests { ended = [:] }
            ended[context.account] = id
            return .reply(.ended)
        case .watch(let id), .start(let id, _), .stop(let id, _), .pull(let id, _, _):
            return change(id, of: context.account) { $0.coordinate(request, at: now) }
        case .report(let report):
            return change(report.id, of: context.account) { $0.take(report, at: now) }
        case .part(let part): return change(part.id, of: context.account) { $0.take(part, at: now) }
        }
    }

    private mutating func open(
        _ opening: LoadTestOpening, in context: ServiceContext
    ) -> ServiceResponse<LoadTestReply> {
        let now = context.now.monotonic
        if ended[context.account] == opening.id { return .reply(.ended) }
        guard context.directory.accountsWithDevices.contains(context.account) else {
            let unknown = context.refusalOfUnknown
            return .refusal(unknown == .notFound ? .notAllowed("the account has no devices") : unknown)
        }
        if let running = tests[context.account], running.id != opening.id {
            return .refusal(
                .notAllowed("the account has a load test of \(running.author): wait until it has ended"))
        }
        if tests[context.account] == nil {
            guard tests.count < Limits.allLoadTests else {
                return .refusal(.busy(retryAfter: Limits.loadTestLease))
            }
            tests[context.account] = LoadTest(opening, by: context.caller.session.email, at: now)
        }
        return change(opening.id, of: context.account) { $0.coordinate(.watch(opening.id), at: now) }
    }

    private mutating func change(
        _ id: RequestID, of account: AccountIndex, _ change: (inout LoadTest) -> LoadTestReply?
    ) -> ServiceResponse<LoadTestReply> {
        if ended[account] == id { return .reply(.ended) }
        guard var test = tests.removeValue(forKey: account) else { return .refusal(.notFound) }
        defer { tests[account] = test }
        guard test.id == id, let reply = change(&test) else { return .refusal(.notFound) }
        return .reply(reply)
    }
}
