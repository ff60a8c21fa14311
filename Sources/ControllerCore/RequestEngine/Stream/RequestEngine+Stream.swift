import FleetProtocol
import FleetTime

/// What everybody who watches an account is told.
///
/// What devices report in one step is one update: a node that has many changes says them in one message, and
/// an update of its own for each was most of what it took to carry them on.
extension RequestEngine {
    /// Publishes an update, behind what devices have reported before.
    mutating func publish(
        _ body: StreamUpdate.Body, to account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        if gathered.isOpen { publishGathered(at: now, into: &effects) }
        number(body, to: account, at: now, into: &effects)
    }

    /// Publishes what a device has reported, where rows of several are taken together with the others.
    mutating func publish(
        _ report: ReportedDevice, to account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        guard gathered.isOpen else {
            let body = StreamUpdate.Body.reported(report.device, report.state, by: report.cause)
            return number(body, to: account, at: now, into: &effects)
        }
        if gathered.account != account || gathered.devices.count == Limits.updateDevices {
            publishGathered(at: now, into: &effects)
            gathered.account = account
        }
        gathered.devices.append(report)
    }

    /// Has what devices report from now on in this step published together, if there are several.
    mutating func gatherReports(of count: Int) {
        if count > 1 { gathered.isOpen = true }
    }

    /// Publishes what devices have reported in this step.
    mutating func publishGathered(at now: Moment, into effects: inout Effects) {
        guard let first = gathered.devices.first else { return }
        let isAlone = gathered.devices.count == 1
        number(
            isAlone ? .reported(first.device, first.state, by: first.cause) : .reports(gathered.devices),
            to: gathered.account, at: now, into: &effects)
        gathered.devices.removeAll(keepingCapacity: true)
    }

    /// A beat repeats the last sequence, so that the loss of the last update is seen too.
    func publishBeat(to account: AccountIndex, at now: Moment, into effects: inout Effects) {
        let record = directory.accounts[Int(account)]
        let beat = StreamUpdate(epoch: epoch, sequence: record.sequence, at: now.wall, body: .beat)
        effects.updates.append((record.id, beat))
    }

    private mutating func number(
        _ body: StreamUpdate.Body, to account: AccountIndex, at now: Moment, into effects: inout Effects
    ) {
        let index = Int(account)
        directory.accounts[index].sequence = directory.accounts[index].sequence.next
        let update = StreamUpdate(
            epoch: epoch, sequence: directory.accounts[index].sequence, at: now.wall, body: body)
        effects.updates.append((directory.accounts[index].id, update))
    }
}

/// What devices of one account have reported in a step, until it is published.
struct GatheredReports: Sendable {
    /// Whether reports are gathered: rows of several devices are being taken.
    var isOpen = false
    /// Whose devices they are.
    var account: AccountIndex = 0
    /// What they reported, in its order: at most ``Limits/updateDevices``.
    var devices: [ReportedDevice] = []
}
