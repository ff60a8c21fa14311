import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct LoginCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Log in, and store the session for later commands.",
        discussion: """
            You type the password without echo at the terminal, or pipe it as a line. The session \
            is stored in the run directory, where only you can read it. The session of another user who \
            logged in before stays there, for --as.

            EXAMPLES
              fleet login demo@sensibus.local
              fleet login demo@sensibus.local --password-stdin < password.txt
            """)

    @Argument(help: "The user.", transform: Email.parse) var email: Email
    @OptionGroup var password: PasswordOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let password = try password.known(of: email, in: surroundings)
        let session: StoredSession
        do {
            session = try await access.withoutSession { client in
                let (session, token) = try await client.login(email: email, password: password)
                return StoredSession(session, token: token)
            }
        } catch FleetError.refused(.unauthenticated) {
            throw CommandFailure(
                .notPermitted, "wrong email or password", advice: "check both, and try again")
        }
        try UserSessions(directory: access.directory).store(session)
        surroundings.notify("fleet: logged in as \(session.email) in account \(session.account)")
        return .done
    }
}

struct LogoutCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "End the stored session, or all your sessions.",
        discussion: """
            If no controller answers, the session stays stored, so that it can be ended later.

            EXAMPLES
              fleet logout
              fleet logout --everywhere
            """)

    @Flag(help: "End all sessions of this user, also those of observers and the page.") var everywhere = false
    @OptionGroup var user: UserOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, as: user, in: surroundings)
        let file = access.sessionFile
        let text: String
        do {
            let ended = try await access.withSession { try await $0.logout(everywhere: everywhere) }
            text = "logged out; \(Count.of(ended, "session")) ended"
        } catch RuntimeError.noSession {
            surroundings.notify("fleet: not logged in here")
            return .done
        } catch FleetError.refused(.unauthenticated) {
            text = "the session had already ended; removed \(file)"
        } catch RuntimeError.damagedSession {
            text = "the session could not be read; removed \(file)"
        }
        try StoredSession.remove(at: file)
        surroundings.notify("fleet: \(text)")
        return .done
    }
}

struct WhoamiCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami", abstract: "Show the user who is logged in here, with account and role.",
        discussion: """
            The command asks the controller, so it fails with status 77 if the session has ended.

            EXAMPLES
              fleet whoami
              fleet whoami --json | jq -r .role
            """)

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let token = try access.session.token
        let session = try await access.withSession { try await $0.who(has: token) }
        return CommandOutput(session.json, session.text)
    }
}

extension Session {
    fileprivate var json: JSONObject {
        ["email": email.address, "account": account.name, "role": role.name, "operator": isOperator]
    }

    fileprivate var text: String {
        "\(email), \(role.name) of account \(account)\(isOperator ? ", operator" : "")"
    }
}

struct SignUpCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "signup", abstract: "Create an account of your own, and log in to it.",
        discussion: """
            You are its owner; it has no devices until a node is started for it. The fleet must \
            have been started with --allow-signup. You type the password twice without echo at the \
            terminal, or pipe it as a line. The session is stored in the run directory; an earlier one stays \
            there, for --as.

            EXAMPLES
              fleet signup ann@example.com
              fleet signup ann@example.com --password-stdin < password.txt
            """)

    @Argument(help: "Your email address, with which you log in.", transform: Email.parse) var email: Email
    @OptionGroup var password: PasswordOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        // The command fails before the user types a password.
        guard try await access.withClient(nil, { try await $0.selfService() }).signsUp else { throw Self.off }
        let password = try password.chosen(for: email, in: surroundings)
        let session = try await access.withoutSession { client -> StoredSession in
            do {
                let (session, token) = try await client.signUp(email: email, password: password)
                return StoredSession(session, token: token)
            } catch FleetError.refused(.unauthenticated) {
                throw CommandFailure(
                    .notPermitted, "\(email) is already registered, with another password",
                    advice: "if it is you, `fleet login \(email)`, or `fleet password forgot \(email)`")
            } catch FleetError.refused(.notAllowed(let why)) {
                throw CommandFailure(.notPermitted, "sign-up failed: \(SafeText.of(why))")
            }
        }
        try UserSessions(directory: access.directory).store(session)
        surroundings.notify(
            "fleet: signed up and logged in as \(session.email) in account \(session.account)")
        return .done
    }

    private static var off: CommandFailure {
        CommandFailure(
            .notPermitted, "sign-up is disabled in this fleet: nothing was changed",
            advice: "start it with `fleet up --allow-signup`, or ask an operator for `fleet user add`")
    }
}
