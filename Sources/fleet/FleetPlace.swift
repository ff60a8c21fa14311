import ProcessSupport

/// Where people find a fleet: its run directory, its page and its account.
struct FleetPlace: Equatable, Sendable {
    /// The run directory's path.
    var runDirectory: String
    /// The URL of the page; nil without a gateway.
    var page: String?
    /// The file with the password of the demo account; nil where no controller has made one.
    var passwordFile: String?

    /// The place of those values.
    init(runDirectory: String, page: String? = nil, passwordFile: String? = nil) {
        (self.runDirectory, self.page, self.passwordFile) = (runDirectory, page, passwordFile)
    }

    /// The place of the fleet in a run directory.
    ///
    /// - Parameter hasGateway: Whether its supervisor has a gateway: one that was killed leaves its address.
    init(of directory: RunDirectory, hasGateway: Bool) {
        self.init(
            runDirectory: directory.path, page: hasGateway ? FleetGateway.url(in: directory) : nil,
            passwordFile: DemoAccount.isThere(in: directory) ? directory.demoPasswordFile : nil)
    }

    /// The demo account's user and where the password is; nil without one.
    var account: String? { passwordFile.map { "\(DemoAccount.email), password in \($0)" } }
}
