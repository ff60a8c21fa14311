// Logs in to the local fleet, toggles its first device, and prints the next updates of the stream.
import FleetClient
import FleetProtocol
import Foundation
import ProcessSupport

let here = FileManager.default.currentDirectoryPath
let fleet = try RunDirectory.find(explicit: nil, environment: [:], startingAt: here)
let password = try fleet.readDemoPassword().flatMap(Password.init)
guard let email = Email(RunDirectory.demoEmail), let password else { exit(1) }
let endpoints = FleetClient.Endpoints(
    clients: try fleet.endpoint(.clients), stream: try fleet.endpoint(.stream))
try await FleetClient.withClient(
    of: endpoints, threadName: "example", clock: { SystemClock().now() }, seed: .random(in: 0 ... .max)
) { client in
    let (session, _) = try await client.login(email: email, password: password)
    guard let device = try await client.devices().rows.first else { return }
    // The client retries with one request ID until it gets a reply. Cancelling the task cancels the toggle.
    let completion = try await client.toggle(device.device, timeout: .seconds(5))
    if case .outcome(let report) = completion { print("\(device.name): \(report.outcome)") }
    for await update in try await client.updates(of: session.account).prefix(3) {
        print("update \(update.sequence): \(update.body)")
    }
}
