import UserText

/// Where the page of a local fleet is, and who can log in there.
public struct FleetAddress: Sendable, Equatable {
    /// The URL of the page, fit for a terminal; nil without a gateway.
    public let page: String?
    /// The email of the demo account, fit for a terminal.
    public let email: String
    /// Its password, fit for a terminal; nil where it cannot be read.
    public let password: String?
    /// The run directory, fit for a terminal.
    public let runDirectory: String

    /// The address of those values, which come from files of the run directory.
    public init(page: String?, email: String, password: String?, runDirectory: String) {
        self.page = page.map { SafeText.of($0) }
        self.email = SafeText.of(email)
        self.password = password.map { SafeText.of($0) }
        self.runDirectory = SafeText.of(runDirectory)
    }

    /// Its lines above the keys, with an empty one at their end.
    var lines: [ScreenLine] {
        let rows = [("page", page), ("email", password.map { _ in email }), ("password", password)]
        let told = (rows + [("run dir", runDirectory)]).compactMap { name, value in
            value.map { ScreenLine(name + String(repeating: " ", count: 17 - name.count) + $0) }
        }
        return told + [ScreenLine()]
    }
}
