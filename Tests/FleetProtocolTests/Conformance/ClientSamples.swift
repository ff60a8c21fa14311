import FleetProtocol

extension ClientRequest {
    static func samples(_ given: Given) -> [(name: String, value: ClientRequest)] {
        var bodies: [(String, Body)] = [
            ("logout of the session", .logout(everywhere: false)),
            ("logout everywhere", .logout(everywhere: true)),
            ("outcome", .outcome(given.requestID)),
            ("snapshot from the first slot", .snapshot(cursor: 0)),
            ("snapshot from a later slot", .snapshot(cursor: 400)),
            ("snapshot of a range of slots", .snapshot(cursor: 5_008, end: 5_408)),
            ("status", .status),
            ("cancel without a timeout", .cancel(given.requestID, timeout: nil)),
            ("cancel within 2 s", .cancel(given.requestID, timeout: .seconds(2))),
        ]
        bodies += commands(given).map { ($0, .command($1)) }
        bodies += given.settingChanges.map { name, change in
            let command = Command(
                requestID: given.requestID, device: given.device, kind: .configure(change),
                expected: given.before.expectation)
            return ("set \(name)", .command(command))
        }
        bodies += Fault.allCases.map { fault in
            let duration: Duration = fault.hasDuration ? .seconds(30) : .zero
            let delay: Duration = fault.hasDelay ? .milliseconds(1_500) : .zero
            return (
                "inject \(fault.name)",
                .inject(fault, devices: [given.device, given.otherDevice], duration: duration, delay: delay)
            )
        }
        bodies += [
            ("heal all", .heal([])), ("heal two", .heal([given.device, given.otherDevice])),
            ("scenario", .scenario("office-day", beganAt: nil)), ("retire no device", .retire([])),
            ("retire two", .retire([given.device, given.otherDevice])),
            ("history of ten minutes", .history(back: .seconds(600), cursor: 0)),
            ("history of a day, next chunk", .history(back: Limits.longestHistory, cursor: 16_384)),
            ("add a key", .addKey(given.key.name, given.digest)), ("keys", .keys),
            ("add a read-only key", .addKey(given.key.name, given.digest, .read)),
            ("revoke a key", .revokeKey(given.key.name)), ("who", .who),
            ("counters", .counters(cursor: 0)), ("counters, next chunk", .counters(cursor: 100)),
            ("a stream ticket", .streamTicket),
            ("change a role", .changeRole(given.email, to: .viewer)),
            ("faults", .faults), ("users", .users), ("remove a user", .removeUser(given.email)),
            ("a scenario whose day has begun", .scenario("office-day", beganAt: given.at)),
        ]
        bodies.append(
            ("a request of a service", .service(ServiceMessage(LogbookRequest.post(PostNumber(12))))))
        if let password = Password("correct horse") {
            bodies += [
                ("reset a password", .selfService(.resetPassword(to: password))),
                (
                    "reset a password and keep the keys",
                    .selfService(.resetPassword(to: password, retainsKeys: true))
                ),
                ("change a password", .changePassword(given.email, to: password)),
                (
                    "change a password and keep the keys",
                    .changePassword(given.email, to: password, retainsKeys: true)
                ),
                (
                    "add a user",
                    .addUser(User(email: given.email, role: .member, isOperator: true), password: password)
                ),
            ]
        }
        let samples = bodies.map { ($0, ClientRequest(correlation: 14, token: given.token, body: $1)) }
        let unattended = ClientRequest(
            correlation: 14, token: given.token, isUnattended: true, body: .streamTicket)
        return logins(given) + samples + [("a stream ticket for a program without a user", unattended)]
    }

    private static func logins(_ given: Given) -> [(name: String, value: ClientRequest)] {
        guard let password = Password("correct horse") else { return [] }
        let body = Body.login(email: given.email, password: password)
        let source = LoginSource("2001:db8::1%eth0")
        let forOthers = Body.login(email: given.email, password: password, source: source)
        return [
            ("login", ClientRequest(correlation: .max, token: nil, body: body)),
            ("login with a source", ClientRequest(correlation: 15, token: nil, body: forOthers)),
        ] + selfService(given.email, password, source)
    }

    private static func selfService(
        _ email: Email, _ password: Password, _ source: LoginSource?
    ) -> [(name: String, value: ClientRequest)] {
        let requests: [(String, SelfServiceRequest)] = [
            ("self-service options", .availability), ("sign up", .signUp(email: email, password: password)),
            ("sign up with a source", .signUp(email: email, password: password, source: source)),
            ("forgot a password", .forgotPassword(email)),
            ("forgot a password, with a source", .forgotPassword(email, source: source)),
        ]
        return requests.map { ($0, ClientRequest(correlation: 14, token: nil, body: .selfService($1))) }
    }

    private static func commands(_ given: Given) -> [(String, Command)] {
        func command(
            _ kind: Command.Kind, expected: Expectation? = nil, timeout: Duration? = nil
        ) -> Command {
            Command(
                requestID: given.requestID, device: given.device, kind: kind, expected: expected,
                timeout: timeout)
        }
        return [
            ("toggle, any version, default timeout", command(.toggle)),
            ("toggle within 5 s", command(.toggle, timeout: .seconds(5))),
            (
                "toggle of an expected version",
                command(.toggle, expected: given.before.expectation, timeout: .milliseconds(1))
            ),
            ("set off", command(.set(ACStateChange(isOn: false)))),
            ("correct to off", command(.correct(ACStateChange(isOn: false)))),
            ("set a mode", command(.set(ACStateChange(mode: .dry)))),
            ("set 0 °C", command(.set(ACStateChange(targetTemperature: 0)))),
            ("set a fan level", command(.set(ACStateChange(fanLevel: .quiet)))),
            (
                "set temperature unit, swing and light",
                command(
                    .set(
                        ACStateChange(
                            temperatureUnit: .celsius, swing: .stopped, horizontalSwing: .stopped,
                            light: .on)))
            ),
            (
                "set temperature, its unit, swing and light",
                command(
                    .set(
                        ACStateChange(
                            targetTemperature: 72, temperatureUnit: .fahrenheit, swing: .both,
                            horizontalSwing: .rangeRight, light: .off)))
            ),
            (
                "set several settings of an expected version within 30 s",
                command(
                    .set(ACStateChange(isOn: true, mode: .heat, targetTemperature: -5, fanLevel: .high)),
                    expected: given.before.expectation, timeout: .seconds(30))
            ),
            ("toggle without time left", command(.toggle, timeout: .milliseconds(-1))),
        ]
    }
}

extension ClientReply {
    static func samples(_ given: Given) -> [(name: String, value: ClientReply)] {
        let bodies: [(String, Body)] =
            refusals(given).map { ($0, .refusal($1)) } + sessions(given)
            + [("signed out", .signedOut(sessions: 3))]
            + given.outcomes.map { ("outcome \($0.text)", .outcome(given.report($0))) }
            + cancels(given) + snapshots(given).map { ($0, .snapshot($1)) }
            + [
                ("status", .status(status(given))),
                ("status of an empty fleet", .status(StatusReport(epoch: given.epoch))),
                ("injected", .injected(devices: 2)),
                ("carried out", .carriedOut(OrderReport(devices: 7, nodes: 2, silentNodes: 1))),
                (
                    "carried out by some nodes, with a kept population",
                    .carriedOut(OrderReport(devices: 9, nodes: 3, refusingNodes: 2, unchangedPopulations: 1))
                ),
                ("faults", .faults(given.faultList)), ("no faults", .faults(FaultList(silentNodes: 1))),
                ("carried out by no node", .carriedOut(OrderReport())),
                (
                    "self-service options",
                    .selfService(.availability(SelfService(signsUp: true, resetsPasswords: true)))
                ),
                (
                    "no self-service options",
                    .selfService(.availability(SelfService(signsUp: false, resetsPasswords: false)))
                ),
                ("password reset requested", .selfService(.resetRequested)),
                ("password was reset", .selfService(.passwordReset(given.email, sessions: 2, keys: 3))),
                ("password changed", .passwordChanged(sessions: 2, keys: 1)),
                ("role changed", .userChanged(User(email: given.email, role: .viewer, isOperator: true))),
                ("key added", .keyAdded(given.key)),
                ("keys", .keys([given.key])), ("read-only key", .keyAdded(given.readingKey)),
                ("no keys", .keys([])),
                ("key revoked", .keyRevoked(given.key)),
                (
                    "who",
                    .who(
                        Session(account: given.account, email: given.email, role: .member, isOperator: false))
                ),
                (
                    "who has an API key",
                    .who(
                        Session(
                            account: given.account, email: given.email, role: .owner, isOperator: false,
                            key: given.readingKey))
                ),
                ("counters", .counters(given.counterReport)),
                (
                    "a stream ticket",
                    .streamTicket(StreamTicket(ticket: given.token, topic: Topic.stream(of: given.account)))
                ),
                (
                    "counters without nodes",
                    .counters(
                        CounterReport(
                            controller: CounterReport.Controller(), nodes: [], nextCursor: 1, isLast: true))
                ),
            ] + histories(given).map { ($0, .history($1)) }
            + [
                (
                    "reply of a service",
                    .service(ServiceMessage(.post(given.post), to: LogbookRequest.self))
                ), ("user added", .userAdded(User(email: given.email, role: .owner, isOperator: false))),
                ("users", .users([User(email: given.email, role: .viewer, isOperator: true)])),
                ("no users", .users([])), ("user removed", .userRemoved(sessions: 3)),
                (
                    "counters of a node with its host",
                    .counters(
                        CounterReport(
                            controller: CounterReport.Controller(),
                            nodes: [
                                .init(name: given.node, counters: given.counters, host: "attic", devices: 7)
                            ],
                            nextCursor: 0, isLast: true))
                ), ("outcome with all parts of its time", .outcome(given.timedReport)),
            ]
        return bodies.map { ($0, ClientReply(correlation: 14, body: $1)) }
    }

    private static func histories(_ given: Given) -> [(String, HistoryChunk)] {
        let ends = given.outcomes.map {
            HistoryChunk.PastOutcome(endedAt: given.at, report: given.report($0))
        }
        return [
            (
                "history, the first of several chunks",
                HistoryChunk(nextCursor: 16_384, isLast: false, completeSince: given.at, outcomes: ends)
            ),
            (
                "history without outcomes",
                HistoryChunk(nextCursor: 0, isLast: true, completeSince: nil, outcomes: [])
            ),
        ]
    }

    private static func refusals(_ given: Given) -> [(String, Refusal)] {
        [
            ("refusal offline", .offline(lastSeen: given.at)),
            ("refusal offline, never seen", .offline(lastSeen: nil)),
            ("refusal busy", .busy(retryAfter: .milliseconds(500))),
            ("refusal for a full disk", .storageFull(retryAfter: .milliseconds(250))),
            ("refusal unauthenticated", .unauthenticated),
            ("refusal notFound", .notFound),
            ("refusal invalid", .invalid("device: expected 8 letters or digits")),
            ("refusal idMismatch", .idMismatch),
            ("refusal idTooOld", .idTooOld(behind: .seconds(86_400))),
            ("refusal notAllowed", .notAllowed("faults are injected by operators of the fleet")),
            ("refusal offDuty, without a roster", .offDuty(.noRoster)),
            ("refusal offDuty, no shift", .offDuty(.noShift)),
            ("refusal offDuty, others on duty", .offDuty(.others)),
            ("refusal moved", .moved(given.cell)),
        ]
    }

    private static func sessions(_ given: Given) -> [(String, Body)] {
        let inCell = Session(
            account: given.account, email: given.email, role: .owner, isOperator: true, cell: given.cell)
        return Session.Role.allCases.map { role in
            let session = Session(
                account: given.account, email: given.email, role: role, isOperator: role == .owner)
            return ("session, \(role.name)", .session(session, given.token))
        } + [("session in a cell", .session(inCell, given.token))]
    }

    private static func cancels(_ given: Given) -> [(String, Body)] {
        [
            ("cancel: cancelled", .cancel(given.requestID, .cancelled)),
            ("cancel: too late", .cancel(given.requestID, .tooLate(given.report(.applied(given.after))))),
            ("cancel: pending", .cancel(given.requestID, .pending)),
            ("outcome of a request cancelled before its arrival", .outcome(given.tombstone)),
        ]
    }

    private static func snapshots(_ given: Given) -> [(String, SnapshotChunk)] {
        let rows =
            [given.snapshotRow(given.device, given.after, name: "Bedroom 7", group: 2)]
            + given.states.map { given.snapshotRow(given.otherDevice, $0, name: "Wohnküche") }
        return [
            (
                "snapshot, the first of several chunks",
                SnapshotChunk(
                    epoch: given.epoch, sequence: StreamSequence(205), nextCursor: 400, isLast: false,
                    nodes: [given.snapshotNode(.online)], groups: given.numberedGroups, rows: rows)
            ),
            (
                "snapshot, the first of several chunks, with totals",
                SnapshotChunk(
                    epoch: given.epoch, sequence: StreamSequence(205), nextCursor: 5_008, isLast: false,
                    endCursor: 1_004_608, deviceCount: 1_000_000, nodes: [given.snapshotNode(.online)],
                    rows: [given.snapshotRow(given.device, given.after, name: "Bedroom 7")])
            ),
            (
                "snapshot, the last chunk, with nodes in every presence",
                SnapshotChunk(
                    epoch: given.epoch, sequence: StreamSequence(206), nextCursor: 600, isLast: true,
                    nodes: given.presences.map { given.snapshotNode($0) }, rows: [])
            ),
            (
                "snapshot, some rows with measurements",
                SnapshotChunk(
                    epoch: given.epoch, sequence: StreamSequence(206), nextCursor: 600, isLast: true,
                    nodes: [],
                    rows: [
                        given.snapshotRow(given.device, given.after, name: "Bedroom 7", given.warm),
                        given.snapshotRow(given.otherDevice, given.before, name: "Attic 1"),
                    ])
            ),
            (
                "snapshot, one of two rows changed by a timer",
                SnapshotChunk(
                    epoch: given.epoch, sequence: StreamSequence(206), nextCursor: 600, isLast: true,
                    nodes: [],
                    rows: [
                        given.snapshotRow(given.device, given.after, name: "Bedroom 7", by: .timer),
                        given.snapshotRow(given.otherDevice, given.before, name: "Attic 1"),
                    ])
            ),
            (
                "snapshot, one of two rows with settings",
                SnapshotChunk(
                    epoch: given.epoch, sequence: StreamSequence(206), nextCursor: 600, isLast: true,
                    nodes: [],
                    rows: [
                        given.snapshotRow(given.otherDevice, given.before, name: "Attic 1"),
                        given.snapshotRow(
                            given.device, given.after, name: "Bedroom 7", by: .request, given.settings),
                    ])
            ),
            (
                "snapshot of a controller that has just started",
                SnapshotChunk(
                    epoch: given.epoch, sequence: .zero, nextCursor: 0, isLast: true, isSettling: true,
                    nodes: [], rows: [])
            ),
        ]
    }

    private static func status(_ given: Given) -> StatusReport {
        StatusReport(
            epoch: given.epoch, devices: 100, online: 96, stale: 1, offline: 2, disconnected: 1, unknown: 1,
            togglesPerSecond: 12.5, pending: 3, loopLagUs: 840,
            conflicts: [
                NodeConflict(
                    node: given.node, serving: NodeRun(host: "attic", bootID: given.bootID),
                    refused: NodeRun(host: "attic-copy", bootID: BootID(bits: 9)))
            ])
    }
}
