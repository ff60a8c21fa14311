import ProcessSupport

struct FleetLocation: Equatable, Sendable {
    var runDirectory: String
    /// The URL of the page; nil without a gateway.
    var page: String?
    /// The file with the password of the demo account; nil if no controller has created the account.
    var passwordFile: String?
    var demo = DemoNames(in: nil)

    init(runDirectory: String, page: String? = nil, passwordFile: String? = nil) {
        (self.runDirectory, self.page, self.passwordFile) = (runDirectory, page, passwordFile)
    }

    /// The place of the fleet in a run directory; a killed gateway leaves its URL file, hence `hasGateway`.
    init(of directory: RunDirectory, hasGateway: Bool) {
        self.init(
            runDirectory: directory.path, page: hasGateway ? FleetGateway.url(in: directory) : nil,
            passwordFile: DemoAccount.exists(in: directory) ? directory.demoPasswordFile : nil)
        demo = directory.demo
    }

    var account: String? { passwordFile.map { "\(demo.email), password in \($0)" } }
}
