import FleetProtocol
import FleetReplica
import UserText

extension ViewModel {
    /// Returns why devices cannot be toggled now, in words; nil if they can.
    func obstacle(in replica: Replica) -> String? {
        // In a recording the connection of that time does not matter.
        if viewer != .replaying, let absence = absence(in: replica) { return "cannot toggle: \(absence)" }
        switch viewer {
        case .signedIn(_, .owner), .signedIn(_, .member): return nil
        case .signedIn(let email, .viewer):
            return "cannot toggle: \(SafeText.of(email.address)) is a viewer (read-only)"
        case .signedOut(let advice): return "cannot toggle: not logged in; \(SafeText.of(advice))"
        case .unknown: return "cannot toggle: not logged in yet"
        case .replaying: return "cannot toggle: this is a recording"
        }
    }

    /// Returns why the controller cannot be reached now, in words; nil if it can.
    private func absence(in replica: Replica) -> String? {
        guard replica.connection == .established else { return "no connection to the controller" }
        return replica.isSilent || replica.staleness == .silence ? "the controller is not responding" : nil
    }

    /// Requests a toggle of the selected device, in the state that the screen shows.
    mutating func toggle(on replica: Replica, at now: Moment) -> ViewEffect? {
        let shown = frozen?.replica ?? replica
        let selected = table.selectedRow(of: shown, at: now.monotonic)
        pending.settle(by: replica, at: now.monotonic)
        if let obstacle = obstacle(in: replica) { return refuse(obstacle, at: now) }
        guard let row = selected else { return nil }
        let label = SafeText.label(row.name, of: row.device)
        if pending[row.device] != nil {
            return refuse("\(label) has a pending toggle; c cancels it", at: now)
        }
        if pending.isFull { return refuse("\(PendingToggles.limit) toggles are already pending", at: now) }
        return .perform(pending.begin(row, at: now))
    }

    mutating func cancel(on replica: Replica, at now: Moment) -> ViewEffect? {
        guard let row = table.selectedRow(of: replica, at: now.monotonic) else { return nil }
        let label = SafeText.label(row.name, of: row.device)
        guard let entry = pending[row.device], entry.applied == nil else {
            return refuse("\(label) has no pending toggle of yours", at: now)
        }
        if let absence = absence(in: replica) { return refuse("cannot cancel: \(absence)", at: now) }
        guard !entry.isCancelling else { return refuse("the toggle is already being cancelled", at: now) }
        pending.cancel(entry.requestID)
        return .cancel(entry.requestID, of: row.device)
    }

    mutating func handle(_ result: ViewResult, on replica: Replica, at now: Moment) {
        switch result {
        case .ended(let report):
            // Other outcomes come with the stream, to all observers.
            if report.outcome == .unknown {
                let label = report.device.map { self.label(of: $0, in: replica) } ?? "a device"
                showMessage(
                    "\(label): no answer yet; see `\(fleet) outcome \(report.requestID)`", .failure, at: now)
            }
            pending.end(report.requestID, report.outcome, at: now.monotonic)
        case .refused(let command, let why):
            let label = label(of: command.device, in: replica)
            showMessage("\(label): not toggled: \(SafeText.of(why))", .failure, at: now)
            pending.drop(command.requestID)
        case .cancelReplied(let requestID, let device, let answer):
            handle(answer, to: requestID, of: label(of: device, in: replica), at: now)
        case .cancelFailed(let requestID, let device, let why):
            let label = label(of: device, in: replica)
            showMessage("\(label): not cancelled: \(SafeText.of(why))", .failure, at: now)
            pending.resume(with: requestID)
        case .exported(let export):
            let devices = Count.of(export.devices, "device")
            showMessage("\(devices) written to \(SafeText.of(export.path))", .success, at: now)
        case .fileExists(let export):
            dialogs.export.replacement = export
            focus = .replacing
        case .exportFailed(_, let why): showMessage("not exported: \(SafeText.of(why))", .failure, at: now)
        }
    }

    private mutating func handle(
        _ answer: CancelReply, to requestID: RequestID, of label: String, at now: Moment
    ) {
        switch answer {
        case .cancelled:
            hint = Hint("\(label): cancelled in time", .success, at: now.monotonic)
            pending.drop(requestID)
        case .tooLate(let report):
            let text = "\(label): too late to cancel: \(report.outcome.name)"
            hint = Hint(text, .failure, at: now.monotonic)
            pending.end(requestID, report.outcome, at: now.monotonic)
        case .pending: showMessage("\(label): cancelling when the device answers", .neutral, at: now)
        }
    }

    private func label(of device: DeviceID, in replica: Replica) -> String {
        SafeText.label(replica.row(of: device)?.name, of: device)
    }

    private mutating func refuse(_ text: String, at now: Moment) -> ViewEffect? {
        hint = Hint(text, .failure, at: now.monotonic)
        return nil
    }

    private mutating func showMessage(_ text: String, _ tone: EventLine.Tone, at now: Moment) {
        hint = Hint(text, tone, at: now.monotonic)
        messages.append(EventLine(at: now.wall, tone: tone, text: text))
    }
}
