import ControllerCore
import DeviceCore
import FleetProtocol
import FleetTime

/// Clients that ask, ask again, change their minds, and mix things up.
extension World {
    mutating func act(_ index: Int) {
        guard !isHealed else { return }
        let pause = Int64.random(in: 20...300, using: &generator) * 1_000_000 / Int64(hazards.haste)
        events.set(.acts(index), at: MonotonicTime(nanoseconds: now.monotonic.nanoseconds + pause))
        let account = customers[index].account
        let place = Self.place(of: account)
        let recent = asked[place].suffix(8).randomElement(using: &generator)
        switch (Int.random(in: 0..<20, using: &generator), recent) {
        case (10...12, let command?): ask(.command(command), from: index)
        case (13, let command?): ask(.command(other(than: command)), from: index)
        case (14...16, let command?): ask(.cancel(command.requestID, patience: patience()), from: index)
        case (17, _):
            let command = newCommand(for: account, clockError: customers[index].clockError)
            asked[place].append(command)
            ask(.cancel(command.requestID, patience: nil), from: index)
        case (18, let command?): ask(.outcome(command.requestID), from: index)
        case (19, _): ask(.status, from: index)
        default:
            let command = newCommand(for: account, clockError: customers[index].clockError)
            asked[place].append(command)
            ask(.command(command), from: index)
        }
    }

    /// Of the two accounts.
    static func place(of account: AccountID) -> Int { account == accounts[0] ? 0 : 1 }

    mutating func ask(_ body: ClientRequest.Body, from index: Int) {
        correlation += 1
        if case .command(let command) = body {
            ledger.asked(Ledger.Key(id: command.requestID, account: customers[index].account))
        }
        if case .service(let message) = body,
            case .start(let id, let plan)? = try? message.request(as: SequenceRequest.self)
        {
            ledger.asked(plan, as: Ledger.Key(id: id, account: customers[index].account))
        }
        guard let life = customers[index].life else { return }
        tell("client \(index) asks \(body)")
        let request = ClientRequest(correlation: correlation, token: nil, body: body)
        post(.request(life: life, customers[index].connection, customers[index].digest, request))
    }

    /// Somebody who may switches a device when nothing is in the way.
    mutating func toggleInPeace(_ device: DeviceID) {
        guard let owner = ledger.owner(of: device),
            let index = customers.firstIndex(where: { $0.account == owner })
        else { return }
        let id = RequestID(at: now.wall, using: &generator)
        ledger.mustApply(Ledger.Key(id: id, account: owner))
        ask(.command(Command(requestID: id, device: device, kind: .toggle)), from: index)
    }

    private mutating func patience() -> Duration? {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: nil
        case 1...4: .milliseconds(Int.random(in: 50...800, using: &generator))
        default: .milliseconds(Int.random(in: 50...5_000, using: &generator))
        }
    }

    private mutating func other(than command: Command) -> Command {
        let change = ACStateChange(targetTemperature: Int8.random(in: 16...30, using: &generator))
        return Command(
            requestID: command.requestID, device: command.device, kind: .set(change),
            patience: command.patience)
    }

    private mutating func newCommand(for account: AccountID, clockError: Duration) -> Command {
        var id = RequestID(at: now.wall.advanced(by: clockError), using: &generator)
        if Int.random(in: 0..<20, using: &generator) == 0,
            let stranger = asked[1 - Self.place(of: account)].last,
            !asked[Self.place(of: account)].contains(where: { $0.requestID == stranger.requestID })
        {
            id = stranger.requestID
        }
        let isForeign = Int.random(in: 0..<40, using: &generator) == 0
        let row = isForeign ? someRow { $0 != account } : someRow { $0 == account }
        let device = row?.device ?? DeviceID(fleetSeed: 1, index: 0)
        return Command(
            requestID: id, device: device, kind: kind(), expected: row.flatMap { expectation($0.reported) },
            patience: patience())
    }

    /// Some device of those whose account is as wanted and whose node lives; nil when there is none.
    private mutating func someRow(ofAccount isWanted: (AccountID) -> Bool) -> DeviceRow? {
        var wanted: [3 of Int] = [0, 0, 0]
        var count = 0
        for index in hosts.indices where hosts[index].isAlive && isWanted(hosts[index].configuration.account)
        {
            wanted[count] = index
            count += 1
        }
        guard count > 0 else { return nil }
        let place = Int.random(in: 0..<count * Host.devices, using: &generator)
        return hosts[wanted[place / Host.devices]].row(of: place % Host.devices)
    }

    private mutating func kind() -> Command.Kind {
        let usual = usualKind()
        return Int.random(in: 0..<6, using: &chores) == 0 ? .configure(setting()) : usual
    }

    /// What a device shall do by itself; some of it no device can.
    private mutating func setting() -> SettingChange {
        switch Int.random(in: 0..<17, using: &chores) {
        case 0...3:
            let change = ACStateChange(isOn: Bool.random(using: &chores))
            return .timer(change, afterSeconds: UInt32.random(in: 1...4, using: &chores))
        case 4: return .noTimer
        case 5: return .filterCleaned
        case 6: return .filterThreshold(seconds: UInt32.random(in: 3_600...3_601, using: &chores))
        case 7: return .climateReactEnabled(Bool.random(using: &chores))
        case 8...10: return .schedule(scheduleID(), schedulePlan())
        case 11: return .scheduleEnabled(scheduleID(), Bool.random(using: &chores))
        case 12: return .noSchedule(scheduleID())
        case 13:
            let added = Int16.random(in: -1...1, using: &chores)
            return .calibration(deciCelsius: added, humidityPermille: Bool.random(using: &chores) ? 0 : nil)
        case 14: return .pureBoost(PureBoost(isEnabled: Bool.random(using: &chores)))
        default:
            let target = Int8.random(in: 26...34, using: &chores)
            let cool = ACStateChange(isOn: true, mode: .cool, targetTemperature: target)
            let high = ClimateReact.Side(tenths: 10 * Int16(target), change: cool)
            return .climateReact(ClimateReact(low: nil, high: high))
        }
    }

    /// One of a few, so that some are added, switched and removed again; and of more than a device may have.
    private mutating func scheduleID() -> ScheduleID {
        ScheduleID(randomBits: UInt64.random(in: 1...12, using: &chores))
    }

    /// What a device shall do soon, on some days, by clocks that it mostly knows.
    private mutating func schedulePlan() -> SchedulePlan {
        let soon = now.wall.advanced(by: .seconds(Int64.random(in: 1...5, using: &chores)))
        let (zone, time) = SimulatedZones.zone(ofMinuteAt: soon)
        let isUnknown = Int.random(in: 0..<8, using: &chores) == 0
        let days = UInt8.random(in: 1...Weekdays.all.rawValue, using: &chores)
        return SchedulePlan(
            change: ACStateChange(isOn: Bool.random(using: &chores)), time: time,
            weekdays: Bool.random(using: &chores) ? .all : Weekdays(rawValue: days),
            zone: isUnknown ? .utc : zone)
    }

    private mutating func usualKind() -> Command.Kind {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0...6: .toggle
        case 7: .set(ACStateChange(targetTemperature: 99))
        default: .set(ACStateChange(isOn: Bool.random(using: &generator)))
        }
    }

    /// What the client has seen: the present, the past, or a former life.
    private mutating func expectation(_ state: DeviceState) -> FleetProtocol.Expectation? {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0, 1: state.expectation
        case 2: Expectation(incarnation: state.incarnation, version: Version(max(1, state.version.value) - 1))
        case 3: Expectation(incarnation: Incarnation(bits: 1), version: state.version)
        default: nil
        }
    }

    /// The controller's view of an account, asked for as a client does.
    func snapshot(of index: Int) -> (nodes: [SnapshotChunk.Node], rows: [SnapshotChunk.Row]) {
        var nodes: [SnapshotChunk.Node] = []
        var rows: [SnapshotChunk.Row] = []
        var cursor: UInt32 = 0
        for _ in 0..<64 {
            guard case .snapshot(let chunk)? = query(.snapshot(cursor: cursor), from: index) else { break }
            nodes += chunk.nodes
            rows += chunk.rows
            cursor = chunk.nextCursor
            if chunk.isLast { break }
        }
        return (nodes, rows)
    }

    /// How many requests have not ended.
    var pending: UInt32? {
        guard case .status(let report)? = query(.status, from: 0) else { return nil }
        return report.pending
    }

    /// Asks without the network, changing nothing.
    private func query(_ body: ClientRequest.Body, from index: Int) -> ClientReply.Body? {
        guard let life = lives.place(of: newest) else { return nil }
        var copy = lives[life].controller
        var effects = Controller.Effects()
        let request = ClientRequest(correlation: 0, token: nil, body: body)
        copy.step(
            .client(customers[index].connection, request, digest: customers[index].digest), at: now,
            into: &effects)
        return effects.replies.first?.reply.body
    }
}
