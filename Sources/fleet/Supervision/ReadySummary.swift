import FleetProtocol
import Runtime
import Wording

/// What `fleet up --detach` prints once every device has come up.
struct ReadySummary: Sendable {
    /// What was to run.
    let plan: FleetPlan
    /// Where it runs.
    let directory: RunDirectory
    /// What runs.
    let processes: [FleetProcess]

    /// Where the gateway listens; nil where there is none.
    let gatewayURL: String?

    /// For scripts; the member of a gateway that is not there is null.
    var json: JSONValue {
        [
            "runDir": .string(directory.path),
            "controller": ["pid": processID(of: "controller")],
            "nodes": .array(
                plan.shares.map { share in
                    [
                        "pid": processID(of: share.name), "name": .string(share.name),
                        "devices": .integer(Int64(share.devices)),
                    ]
                }),
            "gateway": gatewayURL.map { ["pid": processID(of: "gateway"), "url": .string($0)] } ?? .null,
            "account": .string(FleetPlan.account.name),
            "email": .string(DemoAccount.email),
            "passwordFile": .string(directory.demoPasswordFile),
        ]
    }

    /// For people.
    var text: String {
        "\(Count.of(plan.devices, "device")) up. " + (gatewayURL.map { "Page: \($0) " } ?? "")
            + "`fleet down` stops them"
    }

    private func processID(of name: String) -> JSONValue {
        processes.first { $0.name == name }?.processID.map { .integer(Int64($0)) } ?? .null
    }
}
