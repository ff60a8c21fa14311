import UserText

/// The address of a local fleet's page, and the account to log in with.
struct FleetAddress: Sendable, Equatable {
    /// The URL of the page, sanitized; nil without a gateway.
    let page: String?
    /// The email of the demo account, sanitized.
    let email: String
    /// Its password, sanitized; nil if it cannot be read.
    let password: String?
    let runDirectory: String

    /// The address of those values; files of the run directory contain them, so they are sanitized here.
    init(page: String?, email: String, password: String?, runDirectory: String) {
        self.page = page.map { SafeText.of($0) }
        self.email = SafeText.of(email)
        self.password = password.map { SafeText.of($0) }
        self.runDirectory = SafeText.of(runDirectory)
    }

    /// The lines above the keys, followed by an empty one.
    var lines: [ScreenLine] {
        let rows = [("page", page), ("email", password.map { _ in email }), ("password", password)]
        let shown = (rows + [("run dir", runDirectory)]).compactMap { name, value in
            value.map { ScreenLine(name + String(repeating: " ", count: 17 - name.count) + $0) }
        }
        return shown + [ScreenLine()]
    }
}
