// Cases of bodies whose structure differs from that of their messages.

extension ClientReply.Body {
    /// Reads the reply to a log-in: the session and its token.
    static func readSession(_ fields: consuming FieldReader) throws(WireError) -> Self {
        let (session, token) = try SessionFields.read(fields)
        guard let token else { throw .malformed("session.token", "\(Token.length) bytes") }
        return .session(session, token)
    }

    static func readWho(_ fields: consuming FieldReader) throws(WireError) -> Self {
        .who(try SessionFields.read(fields).0)
    }

    func writeSession(to fields: inout FieldWriter) {
        if case .session(let session, let token) = self { SessionFields.write(session, token, into: &fields) }
    }

    func writeWho(to fields: inout FieldWriter) {
        if case .who(let session) = self { SessionFields.write(session, nil, into: &fields) }
    }
}

extension ControllerMessage.Body {
    /// Reads a command: a change of settings if it has one, and otherwise a change of the state.
    static func readCommand(_ fields: consuming FieldReader) throws(WireError) -> Self {
        let read = try DeviceCommandFields.read(fields)
        guard let change = read.setting == nil ? read.change : ACStateChange() else {
            throw .missing("command.change")
        }
        let command = DeviceCommand(
            identity: read.identity, change: change, base: read.base,
            timeToLive: read.timeToLive, isCorrection: read.isCorrection, takesMs: read.takesMs)
        return read.setting.map { .configure(command, $0) } ?? .command(command)
    }

    func writeCommand(to fields: inout FieldWriter) {
        switch self {
        case .command(let command): Self.write(command, change: command.change, setting: nil, to: &fields)
        case .configure(let command, let setting):
            Self.write(command, change: nil, setting: setting, to: &fields)
        case .pong, .pull, .abort, .fault, .claimsRefused, .heal, .scenario, .retire, .listFaults, .renew,
            .moved, .refused:
            break
        }
    }

    private static func write(
        _ command: DeviceCommand, change: ACStateChange?, setting: SettingChange?,
        to fields: inout FieldWriter
    ) {
        DeviceCommandFields.write(
            identity: command.identity, change: change, base: command.base, timeToLive: command.timeToLive,
            isCorrection: command.isCorrection, setting: setting, takesMs: command.takesMs, into: &fields)
    }
}

extension StreamUpdate.Body {
    static func readReported(_ fields: consuming FieldReader) throws(WireError) -> Self {
        let reported = try ReportedDevice(wire: fields)
        return .reported(reported.device, reported.state, by: reported.cause)
    }

    func writeReported(to fields: inout FieldWriter) {
        guard case .reported(let device, let state, let cause) = self else { return }
        ReportedDevice(device: device, state: state, cause: cause).write(to: &fields)
    }

    /// Reads a device that is new to observers; `at` is the time of the update.
    static func readAdded(_ fields: consuming FieldReader, at: WallTime) throws(WireError) -> Self {
        let (reported, name, node, isConnected, group, settings) = try AddedFields.read(fields)
        return .added(
            SnapshotChunk.Row(
                device: reported.device, name: name, node: node, group: group, reported: reported.state,
                isConnected: isConnected, connectedSince: at, asOf: at, cause: reported.cause,
                settings: settings))
    }

    func writeAdded(to fields: inout FieldWriter) {
        guard case .added(let row) = self else { return }
        let reported = ReportedDevice(device: row.device, state: row.reported, cause: row.cause)
        AddedFields.write(
            reported, row.name, row.node, row.isConnected, row.group, row.settings, into: &fields)
    }

    static func readMeasured(_ fields: consuming FieldReader) throws(WireError) -> Self {
        .measured(try MeasuredDevices(wire: fields).devices)
    }

    func writeMeasured(to fields: inout FieldWriter) {
        if case .measured(let devices) = self { MeasuredDevices(devices).write(to: &fields) }
    }
}

extension Telemetry {
    init(bootID: BootID, rows: [DeviceRow], measured: MeasuredDevices?) {
        self.init(bootID: bootID, rows: rows, measured: measured?.devices ?? [])
    }

    var measuredColumns: MeasuredDevices? { measured.isEmpty ? nil : MeasuredDevices(measured) }
}
