import FleetClient
import FleetProtocol
import FleetReplica
import ProcessSupport
import UnixSignals

/// Owns a replica of the account's devices, and hands its events to a reader.
actor FleetFollower: ReplicaOwner {
    nonisolated let pulls = ReplicaPulls()
    /// The end of the reading, once.
    nonisolated let ends: AsyncStream<CommandFailure?>

    private(set) var pullCredentials: Credentials?
    private let endFeed: AsyncStream<CommandFailure?>.Continuation
    private let surroundings: Surroundings
    private var reader: any FleetReader
    private var replica: Replica
    /// Effects of the current step, and what the reader makes of them; the arrays are reused.
    private var effects: [Replica.Effect] = []
    private var readings: [FleetReading] = []
    private var hasEnded = false

    init(_ reader: any FleetReader, as credentials: Credentials, in surroundings: Surroundings) {
        (self.reader, self.surroundings) = (reader, surroundings)
        pullCredentials = credentials
        replica = Replica(random: SeededGenerator(seed: surroundings.randomBits()))
        (ends, endFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Whether the replica has the state of every device.
    var isWhole: Bool { replica.isWhole }

    func receive(_ input: Replica.Input) {
        replica.step(input, at: surroundings.now(), into: &effects)
        handEvents(of: replica)
        effects.removeAll(keepingCapacity: true)
        if replica.hasUnwrittenRows { receive(.tick) }
    }

    func tick() {
        receive(.tick)
        reader.tick(replica, into: &readings)
        carryOutReadings()
    }

    func refuse(_ credentials: Credentials) {
        pullCredentials = nil
        end(CommandFailure(of: FleetError.refused(.unauthenticated)))
    }

    // Speed: see performance.md, "copies".
    /// Hands the events of the current step to the reader.
    private func handEvents(of shown: Replica) {
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event): if !hasEnded { reader.read(event, of: shown, into: &readings) }
            }
        }
        carryOutReadings()
    }

    private func carryOutReadings() {
        for reading in readings where !hasEnded {
            switch reading {
            case .line(let line): show(line)
            case .remark(let remark): surroundings.notify("fleet: \(remark)")
            case .end(let failure): end(failure)
            }
        }
        readings.removeAll(keepingCapacity: true)
    }

    private func show(_ line: String) {
        do throws(CommandFailure) {
            try surroundings.print(line)
        } catch {
            end(error)
        }
    }

    private func end(_ failure: CommandFailure?) {
        hasEnded = true
        endFeed.yield(failure)
    }
}

extension ControllerAccess {
    /// The interval at which a follower checks for silence.
    private static let tickInterval: Duration = .milliseconds(30)
    /// The pause after each read of the stream, so that updates share a step.
    private static let streamPause: Duration = .milliseconds(5)

    /// Follows the devices of the session's account until the reader ends, the user presses Ctrl-C, or the
    /// timeout passes.
    func follow(_ reader: some FleetReader, timeout: Duration? = nil) async throws -> FollowEnd {
        let session = try session
        return try await withSession { client in
            let follower = FleetFollower(reader, as: session.credentials, in: surroundings)
            let updates = try await client.updates(of: session.account, pause: Self.streamPause)
            let signals = await surroundings.stopSignals()
            return try await withThrowingTaskGroup(of: FollowEnd?.self) { group in
                group.addTask {
                    await follower.followConnection(of: client)
                    return nil
                }
                group.addTask {
                    await follower.answerPulls(with: client)
                    return nil
                }
                group.addTask {
                    await follower.follow(updates) {}
                    return nil
                }
                group.addTask { try await ticks(of: follower) }
                group.addTask {
                    for await failure in follower.ends {
                        if let failure { throw failure }
                        return .finished
                    }
                    return nil
                }
                group.addTask {
                    for await _ in signals { return .interrupted }
                    return nil
                }
                if let timeout {
                    group.addTask {
                        try await surroundings.pause(timeout)
                        return .timedOut(isWhole: await follower.isWhole)
                    }
                }
                defer { group.cancelAll() }
                while let end = try await group.next() {
                    if let end { return end }
                }
                return .interrupted
            }
        }
    }

    private func ticks(of follower: FleetFollower) async throws -> FollowEnd? {
        while true {
            try await surroundings.pause(Self.tickInterval)
            await follower.tick()
        }
    }
}

/// A value that reads the events of a replica, and decides what to print and when to end.
protocol FleetReader: Sendable {
    mutating func read(_ event: FleetEvent, of replica: Replica, into results: inout [FleetReading])
    mutating func tick(_ replica: Replica, into results: inout [FleetReading])
}

enum FleetReading: Equatable, Sendable {
    case line(String)
    case remark(String)
    /// The end of the reading: nil if it was successful.
    case end(CommandFailure?)
}

enum FollowEnd: Equatable, Sendable {
    case finished
    case interrupted
    /// The timeout has passed; whether the state of every device was known then.
    case timedOut(isWhole: Bool)
}
