import FleetProtocol

extension NodeMessage {
    static func samples(_ given: Given) -> [(name: String, value: NodeMessage)] {
        let verdicts: [(String, Verdict)] = [
            ("applied", .applied), ("unchanged", .unchanged), ("conflict", .conflict),
            ("rejected", .rejected("target temperature 99 °C: mode cool allows 16 to 30 °C")),
            ("expired", .expired), ("aborted", .aborted), ("staleIncarnation", .staleIncarnation),
            ("staleEpoch", .staleEpoch), ("staleCommandNumber", .staleCommandNumber),
            ("commandNumberTaken", .commandNumberTaken),
        ]
        let bodies: [(String, Body)] =
            [
                ("hello", .hello(hello(given))),
                ("hello with groups", .hello(hello(given, groups: given.groups))),
                (
                    "hello with a group that has Climate React",
                    .hello(
                        hello(
                            given,
                            groups: [
                                DeviceGroup(
                                    model: .sky, site: "", firmware: "", remote: .discrete,
                                    climateReact: given.climateReact)
                            ]))
                ), ("hello with a grant", .hello(hello(given, grant: given.grant))),
                ("hello with a host", .hello(hello(given, host: "attic"))),
                (
                    "hello with judged requests",
                    .hello(hello(given, judgedRequests: [given.requestID, RequestID(high: 1, low: 2)]))
                ), ("ping", .ping()), ("ping with counters", .ping(given.counters)),
                ("ping with empty counters", .ping(NodeCounters())),
                ("leaving", .leaving), ("done", .done(given.order, devices: 7)),
                ("done, without devices", .done(given.order, devices: 0)),
                ("done, unreadable", .done(given.order, devices: 0, .unreadable)),
                ("done, not last", .done(given.order, devices: 0, .notLast)),
                ("done, population kept", .done(given.order, devices: 7, .populationUnchanged)),
                ("faults", .faults(given.order, given.faultList)),
                ("no faults", .faults(given.order, FaultList())),
                ("rows, one of several chunks", .rows(chunk(given))),
                (
                    "rows, an empty last chunk",
                    .rows(
                        RowChunk(
                            since: ChangeNumber(4_321), cursor: 0, nextCursor: 100, isLast: true,
                            pull: 1_800_000_000 << 20 | 7, rows: []))
                ),
                ("rows, some with measurements", .rows(measuredChunk(given))),
                ("rows, with every change cause", .rows(causedChunk(given))),
                ("rows, some with settings", .rows(settledChunk(given))),
            ]
            + verdicts.map { name, verdict in
                let result = CommandResult(
                    commandNumber: given.identity.commandNumber, requestID: given.requestID, verdict: verdict,
                    judged: given.after, deviceUs: 1_500, row: given.row)
                return ("result \(name)", .result(result))
            }
        return bodies.map { name, body in
            (name, NodeMessage(bootID: given.bootID, lastNumber: ChangeNumber(4_321), body: body))
        }
    }

    private static func hello(
        _ given: Given, groups: [DeviceGroup] = [], grant: NodeGrant? = nil, host: String = "",
        judgedRequests: [RequestID] = []
    ) -> NodeHello {
        NodeHello(
            node: given.node, account: given.account, devices: 100, groups: groups, grant: grant, host: host,
            judgedRequests: judgedRequests)
    }

    private static func measuredChunk(_ given: Given) -> RowChunk {
        let rows: [Measurements?] = [given.warm, nil, given.cold]
        return RowChunk(
            since: .zero, cursor: 0, nextCursor: 3, isLast: true,
            rows: rows.map { RowChunk.Row(device: given.row, name: "Bedroom 7", measurements: $0) })
    }

    private static func causedChunk(_ given: Given) -> RowChunk {
        RowChunk(
            since: .zero, cursor: 0, nextCursor: 7, isLast: true,
            rows: ChangeCause.allCases.map {
                RowChunk.Row(device: given.row(given.after, number: 7, by: $0), name: "Bedroom 7")
            })
    }

    private static func settledChunk(_ given: Given) -> RowChunk {
        let rows = [nil, given.settings, nil].map { given.row(given.after, number: 7, by: .app, $0) }
        return RowChunk(
            since: .zero, cursor: 0, nextCursor: 3, isLast: true,
            rows: rows.map { RowChunk.Row(device: $0, name: "Bedroom 7") })
    }

    private static func chunk(_ given: Given) -> RowChunk {
        let rows =
            [given.row(given.after, number: 4_321)]
            + given.states.map { given.row($0, number: 7, isConnected: false) }
        return RowChunk(
            since: ChangeNumber(6), cursor: 400, nextCursor: 800, isLast: false,
            rows: rows.enumerated().map {
                RowChunk.Row(device: $1, name: "Bedroom 7", group: [0, 1, 255][$0 % 3])
            })
    }
}

extension ControllerMessage {
    static func samples(_ given: Given) -> [(name: String, value: ControllerMessage)] {
        func command(
            _ change: ACStateChange, base: Version?, isCorrection: Bool = false, takesMs: UInt32 = 0
        ) -> Body {
            .command(
                DeviceCommand(
                    identity: given.identity, change: change, base: base, timeToLive: .milliseconds(4_999),
                    isCorrection: isCorrection, takesMs: takesMs))
        }
        let bodies: [(String, Body)] =
            [
                ("pong", .pong(helloWanted: false)), ("pong that requests a hello", .pong(helloWanted: true)),
                ("pull of the whole table", .pull(since: .zero, cursor: 0)),
                (
                    "pull, next chunk",
                    .pull(since: ChangeNumber(6), cursor: 400, number: 1_800_000_000 << 20 | 7)
                ),
                ("command of a toggle", command(ACStateChange(isOn: true), base: given.before.version)),
                (
                    "command of a set, any version",
                    command(
                        ACStateChange(isOn: false, mode: .fan, targetTemperature: -5, fanLevel: .low),
                        base: nil)
                ),
                (
                    "command of a correction",
                    command(ACStateChange(isOn: false), base: given.before.version, isCorrection: true)
                ),
                (
                    "command with a running time of an hour",
                    command(ACStateChange(isOn: true), base: given.before.version, takesMs: 3_600_000)
                ),
            ]
            + given.settingChanges.map { name, change in
                (
                    "command of \(name)",
                    .configure(
                        DeviceCommand(
                            identity: given.identity, change: ACStateChange(),
                            base: given.before.version, timeToLive: .milliseconds(4_999)), change)
                )
            }
            + [
                ("abort", .abort(given.identity)),
                ("taken", .claimsRefused([given.device, given.otherDevice])),
            ]
            + Fault.allCases.map { fault in
                let duration: Duration = fault.hasDuration ? .seconds(86_400) : .zero
                let delay: Duration = fault.hasDelay ? .seconds(30) : .zero
                return (
                    "fault \(fault.name)",
                    .fault(fault, devices: [given.device], duration: duration, delay: delay)
                )
            }
            + [
                ("heal all", .heal(given.order, devices: [])),
                ("heal one", .heal(given.order, devices: [given.device])),
                ("retire two", .retire(given.order, devices: [given.device, given.otherDevice])),
                ("list faults", .listFaults(given.order)),
                ("moved", .moved(given.cell)),
                ("refused", .refused(NodeRun(host: "attic", bootID: given.bootID))),
                ("scenario", .scenario(given.order, "/home/demo/my-office.yaml", beganAt: given.at)),
                (
                    "renew two",
                    .renew(
                        [given.device, given.otherDevice].map {
                            SeenDevice(
                                device: $0, incarnation: given.identity.incarnation,
                                version: given.after.version)
                        })
                ),
            ]
        return bodies.map { ($0, ControllerMessage(epoch: given.epoch, body: $1)) }
    }
}

extension Telemetry {
    static func samples(_ given: Given) -> [(name: String, value: Telemetry)] {
        let lost = given.row(given.after, number: 4_322, isConnected: false)
        let states = given.states.map { given.row($0, number: 1) }
        return [
            ("one device", Telemetry(bootID: given.bootID, rows: [given.row])),
            (
                "a device, then the same device disconnected",
                Telemetry(bootID: given.bootID, rows: [given.row, lost])
            ),
            (
                "a device switched by a hand remote",
                Telemetry(
                    bootID: given.bootID, rows: [given.row(given.after, number: 4_323, by: .handRemote)])
            ),
            (
                "a device with settings",
                Telemetry(
                    bootID: given.bootID,
                    rows: [given.row(given.after, number: 4_324, by: .timer, given.settings)])
            ),
            ("every mode and fan level", Telemetry(bootID: given.bootID, rows: states)),
            ("measurements", Telemetry(bootID: given.bootID, measured: given.measured)),
            (
                "every fan level",
                Telemetry(
                    bootID: given.bootID,
                    rows: FanLevel.allCases.map {
                        given.row(
                            given.reported(
                                .init(isOn: true, mode: .fan, targetTemperature: 0, fanLevel: $0), 1),
                            number: 1)
                    })
            ),
        ]
    }
}
