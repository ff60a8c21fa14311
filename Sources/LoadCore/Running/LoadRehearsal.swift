public import FleetProtocol

/// A short load with the plan's mix that runs without a fleet before the real one.
///
/// The first execution of code takes milliseconds: pages are loaded, type metadata is created, tables are
/// allocated. The rehearsal executes the whole path once, in virtual time: requests and answers with their
/// encoding and decoding, records, and the end of old seconds.
public enum LoadRehearsal {
    private static let rate: Double = 50
    /// The measured time beyond the timeout, so that some seconds are closed.
    private static let closing: Duration = .seconds(3)

    /// Rehearses a load with the connections, cancels and repeats of a plan; every toggle is applied at once.
    @discardableResult
    public static func run(_ plan: LoadPlan, token: Token) -> LoadResult {
        var now = MonotonicTime(nanoseconds: 1)
        var load = Load(
            shortened(plan), devices: [DeviceID(fleetSeed: 0, index: 0)], idSeed: 0, startingAt: now)
        while !load.isDone(at: now) {
            load.turn(at: now)
            let moment = Moment(monotonic: now, wall: WallTime(unixMilliseconds: 0))
            while let message = load.nextMessage(at: moment) {
                load.sent(message, at: now)
                load.answered(answer(to: message.request(as: token).wireBytes), at: now)
            }
            _ = load.progress(at: now)
            guard let due = load.nextDue(after: now) else { break }
            now = max(due, now.advanced(by: .nanoseconds(1)))
        }
        return load.measurement(against: []).result
    }

    private static func shortened(_ plan: LoadPlan) -> LoadPlan {
        do throws(PlanError) {
            return try plan.with(
                .rate(perSecond: rate, .poisson), warmup: .seconds(1), duration: plan.answerTime + closing,
                seed: plan.seed)
        } catch {
            preconditionFailure("a plan cannot be shortened: \(error)")
        }
    }

    /// Decodes a request and returns its answer, encoded and decoded.
    private static func answer(to bytes: [UInt8]) -> ClientReply {
        do throws(WireError) {
            let reply = EchoedReply.reply(to: try ClientRequest(wireBytes: bytes))
            return try ClientReply(wireBytes: reply.wireBytes)
        } catch {
            preconditionFailure("a load's own bytes cannot be read: \(error)")
        }
    }
}

/// The answers of an echo server, which takes the place of a fleet: every request is carried out at once.
public enum EchoedReply {
    private static let state = DeviceState(
        state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto), version: Version(1),
        incarnation: Incarnation(bits: 1))

    public static func reply(to request: ClientRequest) -> ClientReply {
        ClientReply(correlation: request.correlation, body: body(for: request.body))
    }

    private static func body(for request: ClientRequest.Body) -> ClientReply.Body {
        switch request {
        case .command(let command):
            .outcome(
                OutcomeReport(
                    requestID: command.requestID, device: command.device, outcome: .applied(state),
                    user: user, attempts: 1))
        // The echo is stateless: it does not know the outcome of the request.
        case .cancel(let id, _): .cancel(id, .pending)
        case .snapshot:
            .snapshot(
                SnapshotChunk(
                    epoch: Epoch(1), sequence: StreamSequence(1), nextCursor: 0, isLast: true, nodes: [],
                    rows: []))
        case .status: .status(StatusReport(epoch: Epoch(1)))
        default: .refusal(.invalid("an echo server answers only the requests of a load"))
        }
    }

    private static let user: Email = {
        guard let email = Email("self-test@sensibus.local") else {
            preconditionFailure("invalid email address of the echo server")
        }
        return email
    }()
}
