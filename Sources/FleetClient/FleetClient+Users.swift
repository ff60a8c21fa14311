public import FleetProtocol

/// The users of the account; for operators. The changes are sent once. After `noReply`, `users` shows whether
/// the change was made.
extension FleetClient {
    /// Adds a user to the account.
    ///
    /// - Throws: Also `refused` with `invalid` for an email that is taken and for a full account.
    public func addUser(
        _ user: User, password: Password, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) {
        let reply = try await ask(.addUser(user, password: password), timeout: timeout)
        guard case .userAdded(user) = reply else { throw .unexpectedReply }
    }

    /// Returns the users of the account, by email.
    public func users(timeout: Duration = Limits.defaultTimeout) async throws(FleetError) -> [User] {
        guard case .users(let users) = try await ask(.users, timeout: timeout) else {
            throw .unexpectedReply
        }
        return users
    }

    /// Removes a user from the account; their waiting requests are cancelled, and their command queues stop.
    ///
    /// - Returns: The number of the user's ended sessions.
    /// - Throws: Also `refused` with `notAllowed` for the user itself and for the last owner.
    @discardableResult
    public func removeUser(
        _ email: Email, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> Int {
        let reply = try await ask(.removeUser(email), timeout: timeout)
        guard case .userRemoved(let sessions) = reply else { throw .unexpectedReply }
        return Int(sessions)
    }

    /// Changes the role of a user of the account; it applies to the user's sessions and keys at once.
    ///
    /// The waiting requests and the command queues of a new viewer end as those of a removed user.
    ///
    /// - Returns: The user with the new role.
    /// - Throws: Also `refused` with `notAllowed` for the user itself and for the last owner.
    @discardableResult
    public func changeRole(
        of email: Email, to role: Session.Role, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> User {
        let reply = try await ask(.changeRole(email, to: role), timeout: timeout)
        guard case .userChanged(let user) = reply, user.email == email else { throw .unexpectedReply }
        return user
    }

    /// Changes the password of a user of the account.
    ///
    /// - Parameter retainsKeys: Whether the user's keys stay valid; otherwise they are revoked.
    /// - Returns: The numbers of ended sessions, which are all except the one that asks, and of revoked
    ///   keys.
    /// - Throws: Also `refused` with `invalid` for one shorter than `Limits.chosenPasswordBytes`.
    @discardableResult
    public func changePassword(
        of email: Email, to password: Password, retainsKeys: Bool = false,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> (sessions: Int, keys: Int) {
        let reply = try await ask(
            .changePassword(email, to: password, retainsKeys: retainsKeys), timeout: timeout)
        guard case .passwordChanged(let sessions, let keys) = reply else { throw .unexpectedReply }
        return (Int(sessions), Int(keys))
    }
}

/// The API keys of the user. The changes are sent once. After `noReply`, `keys` shows whether the change was
/// made.
extension FleetClient {
    /// Creates a key with a name and scope; the controller receives only its SHA-256.
    ///
    /// The name is unique among those of the user, and `digest` is the SHA-256 of the key.
    ///
    /// - Throws: Also `refused` with `invalid` for a name that is taken, and when the user has the most keys.
    @discardableResult
    public func addKey(
        _ name: APIKey.Name, digest: TokenDigest, scope: APIKey.Scope = .switch,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> APIKey {
        let reply = try await ask(.addKey(name, digest, scope), timeout: timeout)
        guard case .keyAdded(let key) = reply, key.name == name, key.scope == scope else {
            throw .unexpectedReply
        }
        return key
    }

    /// Returns the keys of the user, by name.
    public func keys(timeout: Duration = Limits.defaultTimeout) async throws(FleetError) -> [APIKey] {
        guard case .keys(let keys) = try await ask(.keys, timeout: timeout) else {
            throw .unexpectedReply
        }
        return keys
    }

    /// Revokes a key: requests with it are refused from now on.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown name.
    @discardableResult
    public func revokeKey(
        _ name: APIKey.Name, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> APIKey {
        let reply = try await ask(.revokeKey(name), timeout: timeout)
        guard case .keyRevoked(let key) = reply, key.name == name else { throw .unexpectedReply }
        return key
    }
}

/// Sign-up and password reset. These requests are sent once. If a sign-up gets no answer, sign up again with
/// the same password: if the user was made, that is a log-in.
extension FleetClient {
    /// Returns which of them the controller offers.
    public func selfService(timeout: Duration = Limits.defaultTimeout) async throws(FleetError) -> SelfService
    {
        let reply = try await ask(.selfService(.availability), token: nil, timeout: timeout)
        guard case .selfService(.availability(let availability)) = reply else { throw .unexpectedReply }
        return availability
    }

    /// Creates a user in a new account, opens a session, and makes its credentials the client's own.
    ///
    /// - Throws: Also `refused` with `notAllowed` if sign-up is disabled, and with `unauthenticated` for
    ///   an email that is taken, with another password.
    public func signUp(
        email: Email, password: Password, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let opened = try await openSession(signingUp: email, password: password, timeout: timeout)
        credentials = Credentials(user: opened.session.email, token: opened.token)
        return opened
    }

    /// Creates a user, and opens a session; otherwise as
    /// ``openSession(email:password:source:timeout:)``.
    ///
    /// - Parameter source: The origin of the sign-up, for a program that serves many users; nil for none.
    public func openSession(
        signingUp email: Email, password: Password, source: LoginSource? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let request = SelfServiceRequest.signUp(email: email, password: password, source: source)
        let reply = try await ask(.selfService(request), token: nil, timeout: timeout)
        guard case .session(let session, let token) = reply else { throw .unexpectedReply }
        return (session, token)
    }

    /// Requests a message with a token, with which the user can set a new password.
    ///
    /// The reply does not reveal whether the user exists.
    ///
    /// - Parameter source: The origin of the request, for a program that serves many users; nil for none.
    /// - Throws: Also `refused` with `notAllowed` if password reset is disabled.
    public func forgotPassword(
        of email: Email, source: LoginSource? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) {
        let reply = try await ask(
            .selfService(.forgotPassword(email, source: source)), token: nil, timeout: timeout)
        guard case .selfService(.resetRequested) = reply else { throw .unexpectedReply }
    }

    /// Changes the password of the user who received the token, and ends their sessions.
    ///
    /// - Parameters:
    ///   - token: The token from the message.
    ///   - retainsKeys: Whether the user's keys stay valid; otherwise they are revoked.
    /// - Returns: The user's email, and the numbers of ended sessions and of revoked keys.
    /// - Throws: Also `refused` with `unauthenticated` for an unknown, used or expired token.
    public func resetPassword(
        with token: Token, to password: Password, retainsKeys: Bool = false,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> (email: Email, sessions: Int, keys: Int) {
        let request = SelfServiceRequest.resetPassword(to: password, retainsKeys: retainsKeys)
        let reply = try await ask(.selfService(request), token: token, timeout: timeout)
        guard case .selfService(.passwordReset(let email, let sessions, let keys)) = reply else {
            throw .unexpectedReply
        }
        return (email, Int(sessions), Int(keys))
    }
}

/// Faults, scenarios, and the retirement of devices; for operators. The changes are sent once: after
/// `noReply`, the change may have been made.
extension FleetClient {
    /// Injects a fault into devices.
    ///
    /// - Parameters:
    ///   - devices: The devices, at most `Limits.faultDevices`.
    ///   - duration: The fault's duration, for faults that have one; at most `Limits.longestFault`.
    ///   - delay: The delay of slow devices; at most `Limits.longestDelay`.
    /// - Returns: The number of devices that can be reached and will get it.
    public func inject(
        _ fault: Fault, into devices: [DeviceID], for duration: Duration, delay: Duration = .zero,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> Int {
        let body = ClientRequest.Body.inject(fault, devices: devices, duration: duration, delay: delay)
        guard case .injected(let count) = try await ask(body, timeout: timeout) else {
            throw .unexpectedReply
        }
        return Int(count)
    }

    /// Returns the active faults of the account's devices; for operators.
    public func faults(timeout: Duration = Limits.defaultTimeout) async throws(FleetError) -> FaultList {
        guard case .faults(let list) = try await ask(.faults, timeout: timeout) else {
            throw .unexpectedReply
        }
        return list
    }

    /// Ends the faults of devices.
    ///
    /// - Parameter devices: The devices, at most `Limits.faultDevices`; empty for all devices that can be
    ///   reached.
    /// - Returns: The number of healed devices, and the nodes that answered.
    public func heal(
        _ devices: [DeviceID], timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.heal(devices), timeout: timeout) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Changes the scenario of every node that can be reached.
    ///
    /// - Parameters:
    ///   - scenario: A name, or the absolute path of a file that nodes can read.
    ///   - beganAt: When its first day began; nil for when the controller receives the request.
    /// - Returns: The nodes that changed it.
    public func changeScenario(
        to scenario: String, beganAt: WallTime? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OrderReport {
        let request = ClientRequest.Body.scenario(scenario, beganAt: beganAt)
        guard case .carriedOut(let report) = try await ask(request, timeout: timeout) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Retires devices: they leave the fleet for good.
    ///
    /// - Parameter devices: The devices, at most `Limits.faultDevices`, each among the last of its node. An
    ///   empty array asks whether the user may retire devices, and is answered when earlier retirements are
    ///   stored.
    /// - Returns: The number of retired devices, and the nodes that answered.
    public func retire(
        _ devices: [DeviceID], timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.retire(devices), timeout: timeout) else {
            throw .unexpectedReply
        }
        return report
    }
}

extension [DeviceID] {
    /// The devices split into orders of at most ``Limits/faultDevices``, in the same order.
    package var orders: [[DeviceID]] {
        stride(from: 0, to: count, by: Limits.faultDevices).map { start in
            Array(self[start..<Swift.min(start + Limits.faultDevices, count)])
        }
    }
}
