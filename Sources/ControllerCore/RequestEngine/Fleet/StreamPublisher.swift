import FleetProtocol

/// Numbers the updates of accounts and publishes them. The device reports of one step form one update. A node
/// sends many changes in one message, and separate updates would be most of the cost of forwarding them.
struct StreamPublisher: Sendable {
    let epoch: Epoch
    /// Whether reports are gathered: rows of several devices are being applied.
    private var isGathering = false
    private var account: AccountIndex = 0
    /// The gathered reports in their order: at most ``Limits/updateDevices``.
    private var reports: [ReportedDevice] = []
    /// Accounts with a new stream subscription since the last turn.
    private var newlyWatched: Set<AccountIndex> = []

    init(epoch: Epoch) { self.epoch = epoch }

    /// Publishes an update, after the reports that were gathered before.
    @inline(__always)
    mutating func publish(
        _ body: StreamUpdate.Body, to account: AccountIndex, in accounts: inout [AccountRecord],
        at now: WallTime, into effects: inout Controller.Effects
    ) {
        if isGathering { publishReports(in: &accounts, at: now, into: &effects) }
        number(body, to: account, in: &accounts, at: now, into: &effects)
    }

    /// Publishes the report of a device, together with others while reports are gathered.
    @inline(__always)
    mutating func publish(
        _ report: ReportedDevice, to account: AccountIndex, in accounts: inout [AccountRecord],
        at now: WallTime, into effects: inout Controller.Effects
    ) {
        guard isGathering else {
            let body = StreamUpdate.Body.reported(report.device, report.state, by: report.cause)
            return number(body, to: account, in: &accounts, at: now, into: &effects)
        }
        if self.account != account || reports.count == Limits.updateDevices {
            publishReports(in: &accounts, at: now, into: &effects)
            self.account = account
        }
        reports.append(report)
    }

    mutating func gather(_ count: Int) {
        if count > 1 { isGathering = true }
    }

    @inline(__always)
    mutating func endStep(
        in accounts: inout [AccountRecord], at now: WallTime, into effects: inout Controller.Effects
    ) {
        guard isGathering else { return }
        publishReports(in: &accounts, at: now, into: &effects)
        isGathering = false
    }

    private mutating func publishReports(
        in accounts: inout [AccountRecord], at now: WallTime, into effects: inout Controller.Effects
    ) {
        guard let first = reports.first else { return }
        number(
            reports.count == 1 ? .reported(first.device, first.state, by: first.cause) : .reports(reports),
            to: account, in: &accounts, at: now, into: &effects)
        reports.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func number(
        _ body: StreamUpdate.Body, to account: AccountIndex, in accounts: inout [AccountRecord],
        at now: WallTime, into effects: inout Controller.Effects
    ) {
        let sequence = accounts[Int(account)].sequence.next
        accounts[Int(account)].sequence = sequence
        let update = StreamUpdate(epoch: epoch, sequence: sequence, at: now, body: body)
        effects.updates.append(Controller.Effects.Update(account: accounts[Int(account)].id, update: update))
    }

    mutating func subscribed(_ account: AccountIndex) { newlyWatched.insert(account) }

    /// Publishes a beat to each account with new observers, to confirm the subscriptions.
    mutating func welcome(
        in accounts: [AccountRecord], at now: WallTime, into effects: inout Controller.Effects
    ) {
        guard !newlyWatched.isEmpty else { return }
        for account in newlyWatched.sorted() {
            publishBeat(to: accounts[Int(account)], at: now, into: &effects)
        }
        newlyWatched.removeAll(keepingCapacity: true)
    }

    func publishBeats(
        to accounts: [AccountRecord], at now: WallTime, into effects: inout Controller.Effects
    ) {
        for account in accounts where !account.isFree { publishBeat(to: account, at: now, into: &effects) }
    }

    /// A beat repeats the last sequence number, so that the loss of the last update is noticed too.
    private func publishBeat(
        to account: AccountRecord, at now: WallTime, into effects: inout Controller.Effects
    ) {
        let beat = StreamUpdate(epoch: epoch, sequence: account.sequence, at: now, body: .beat)
        effects.updates.append(Controller.Effects.Update(account: account.id, update: beat))
    }
}
