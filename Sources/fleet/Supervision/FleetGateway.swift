import Runtime

/// The gateway of a local fleet.
enum FleetGateway {
    /// The port at which browsers and programs find it, unless another fleet's is there already.
    static let port: UInt16 = 8_701

    /// Where it listens; nil where there is none, or its word cannot be read.
    static func url(in directory: RunDirectory) -> String? {
        do {
            return try directory.gatewayURL()
        } catch {
            return nil
        }
    }

    /// Tells people where it listens.
    static func say(from directory: RunDirectory, in surroundings: Surroundings) {
        guard let url = url(in: directory) else { return }
        surroundings.say("fleet: the page is at \(url), and Sensibo's API at \(url)api/v2")
    }
}
