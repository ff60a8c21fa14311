import ArgumentParser
import LoadCore
import ProcessSupport
import UserText

enum LoadInterface: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// The wire protocol over ZeroMQ, to the controller.
    case bus
    case http
}

struct TargetOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Send toggles over the bus, or as an integrator does: POST /api/v2/pods/ID/acStates over http."
        ))
    var target = LoadInterface.bus

    @Option(
        help: ArgumentHelp(
            "The gateway for --target http, http or https (default: that of the fleet).", valueName: "url"
        ),
        transform: TargetOptions.url)
    var url: GatewayURL?

    @Option(
        help: ArgumentHelp(
            "Certificates to trust for an https URL, PEM (default: those of the system).",
            valueName: "file"))
    var ca: String?

    func validate() throws {
        try require(url == nil || target == .http, "--url is for --target http")
        try require(ca == nil || url?.isSecure == true, "--ca is for a --url with https")
    }

    /// The gateway of a load over HTTP; nil for a load over the bus.
    func gateway(in surroundings: Surroundings) -> LoadedGateway? {
        guard target == .http else { return nil }
        return LoadedGateway(url: url, certificates: ca.map { OutputFile($0, in: surroundings).path })
    }

    private static func url(_ text: String) throws -> GatewayURL {
        try GatewayURL(text).orInvalid("'\(text)' is not a gateway's URL such as http://127.0.0.1:8701")
    }
}

struct LoadedGateway: Equatable, Sendable {
    let url: GatewayURL?
    /// A file with the certificates to trust; nil for those of the system.
    let certificates: String?

    /// The URL, with that of the fleet as the default.
    func url(in directory: RunDirectory) throws -> GatewayURL {
        if let url { return url }
        guard let url = FleetGateway.url(in: directory).flatMap({ GatewayURL($0) }) else {
            throw CommandFailure(
                .absent, "the fleet in \(directory) has no gateway",
                advice: "start it without --no-gateway, or give the --url of a gateway")
        }
        return url
    }
}
