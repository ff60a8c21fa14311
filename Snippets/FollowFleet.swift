// Follows the local fleet with a replica, and prints its first events.
import FleetClient
import FleetProtocol
import FleetReplica
import Foundation
import ProcessSupport

/// Owns a replica, and prints what changes.
actor Screen: ReplicaOwner {
    nonisolated let pulls = ReplicaPulls()
    private(set) var pullCredentials: Credentials?
    private var replica: Replica
    private var effects: [Replica.Effect] = []

    init(credentials: Credentials, seed: UInt64) {
        pullCredentials = credentials
        replica = Replica(random: SeededGenerator(seed: seed))
    }

    /// The number of devices; nil while the replica is not complete.
    var devices: Int? { replica.isWhole ? replica.deviceCount : nil }

    func receive(_ input: Replica.Input) {
        replica.step(input, at: SystemClock().now(), into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): pulls.add(pull)
            case .event(let event): print(event.body)
            }
        }
        effects.removeAll(keepingCapacity: true)
        if replica.hasUnwrittenRows { receive(.tick) }
    }

    func refuse(_ credentials: Credentials) { pullCredentials = nil }
}

let here = FileManager.default.currentDirectoryPath
let fleet = try RunDirectory.find(explicit: nil, environment: [:], startingAt: here)
let password = try fleet.readDemoPassword().flatMap(Password.init)
guard let email = Email(RunDirectory.demoEmail), let password else { exit(1) }
let endpoints = FleetClient.Endpoints(
    clients: try fleet.endpoint(.clients), stream: try fleet.endpoint(.stream))
try await FleetClient.withClient(
    of: endpoints, threadName: "follow", clock: { SystemClock().now() }, seed: .random(in: 0 ... .max)
) { client in
    let (session, token) = try await client.login(email: email, password: password)
    let screen = Screen(
        credentials: Credentials(user: session.email, token: token), seed: .random(in: 0 ... .max))
    let updates = try await client.updates(of: session.account)
    try await withThrowingTaskGroup { group in
        group.addTask { await screen.followConnection(of: client) }
        group.addTask { await screen.answerPulls(with: client) }
        group.addTask { await screen.follow(updates) {} }
        // A tick detects a silent stream, and starts a repair when its delay is over.
        while await screen.devices == nil {
            try await Task.sleep(for: .milliseconds(10))
            await screen.receive(.tick)
        }
        group.cancelAll()
    }
    print("the replica has \(await screen.devices ?? 0) devices")
}
