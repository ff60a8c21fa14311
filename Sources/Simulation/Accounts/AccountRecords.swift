import ControllerCore
import FleetProtocol

/// The users, sessions, keys, password resets, logbooks, sites, rosters and labels in the controller's store.
/// It applies changes as the tables of the store do, and provides the stored records to each controller
/// process that starts.
struct AccountRecords {
    private(set) var users: [ControllerConfiguration.User]
    /// In the order in which they were opened.
    private var sessions: [ControllerConfiguration.OpenSession]
    private var keys: [ControllerConfiguration.KnownKey] = []
    private var loginFailures: [LoginFailures] = []
    private var passwordResets: [PasswordReset] = []
    private var signUpsWholeAt: WallTime?
    /// The records of services, in the order of services, accounts and keys.
    private var services: [ServiceRecord] = []

    init(users: [ControllerConfiguration.User] = [], sessions: [ControllerConfiguration.OpenSession] = []) {
        (self.users, self.sessions) = (users, sessions)
    }

    /// The records of a service in an account, in the order of their keys.
    func contents<Content: RecordContent>(_ type: Content.Type, of account: AccountID) -> [Content] {
        services.compactMap { record in
            guard record.service == Content.service, record.account == account else { return nil }
            return try? Content(wireBytes: record.value ?? [])
        }
    }

    func labels(of account: AccountID) -> [LabelledDevice] {
        services.compactMap { record in
            guard record.service == LabelRequest.service, record.account == account,
                let device = record.device,
                let labels = try? DeviceLabels(wireBytes: record.value ?? []).labels
            else { return nil }
            return LabelledDevice(device: device, labels: labels)
        }
        .sorted { $0.device < $1.device }
    }

    func restore(into configuration: inout ControllerConfiguration) {
        (configuration.users, configuration.sessions, configuration.keys) = (users, sessions, keys)
        configuration.loginFailures = loginFailures
        (configuration.passwordResets, configuration.signUpsWholeAt) = (passwordResets, signUpsWholeAt)
        configuration.records = services
    }

    mutating func apply(_ record: ServiceRecord) { services.apply(record) }

    mutating func apply(_ entry: AccessEntry) {
        switch entry {
        case .sessionOpened(let digest, let email, let now):
            sessions.append(.init(digest: digest, email: email, openedAt: now))
        case .sessionUsed(let digest, let now):
            guard let place = sessions.firstIndex(where: { $0.digest == digest }) else { return }
            let session = sessions[place]
            sessions[place] = .init(
                digest: digest, email: session.email, openedAt: session.openedAt, usedAt: now)
        case .sessionsClosed(let digests): sessions.removeAll { digests.contains($0.digest) }
        case .keyAdded(let key, let digest): keys.append(.init(digest: digest, key: key))
        case .keysRevoked(let digests): keys.removeAll { digests.contains($0.digest) }
        case .userAdded(let user): users.append(user)
        case .userRemoved(let email): users.removeAll { $0.session.email == email }
        case .passwordChanged(let user), .roleChanged(let user):
            for place in users.indices where users[place].session.email == user.session.email {
                users[place] = user
            }
        case .loginFailed(let failures):
            loginFailures.removeAll { $0.email == failures.email }
            loginFailures.append(failures)
        case .loginForgiven(let email): loginFailures.removeAll { $0.email == email }
        case .resetBegan(let reset):
            passwordResets.removeAll { $0.email == reset.email }
            passwordResets.append(reset)
        case .resetEnded(let email): passwordResets.removeAll { $0.email == email }
        case .signUpsSpent(let time): signUpsWholeAt = time
        }
    }
}
