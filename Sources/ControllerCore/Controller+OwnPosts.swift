import FleetProtocol
import Stepping

/// What the controller writes down by itself, for nobody else may have seen it.
extension Controller {
    /// A node is lost, and with it all its devices.
    mutating func noteLost(_ node: NodeRecord, at now: Moment, into effects: inout Effects) {
        let devices = node.devices == 1 ? "1 device" : "\(node.devices) devices"
        writeDown(
            "Node \(node.name) is lost",
            """
            Nothing was heard of it for \(Limits.lease.wholeMilliseconds) ms. Its \(devices) cannot be \
            reached until it says hello again.
            """, in: node.account, at: now, into: &effects)
    }

    /// A request has ended of which nobody will ever know what became.
    @inline(never)
    mutating func noteUndetermined(
        _ key: RequestKey, by actor: Email, for device: DeviceID, because reason: UndeterminedReason,
        at now: Moment, into effects: inout Effects
    ) {
        let name = directory.device(device, of: key.account).map { directory.devices[$0].name } ?? ""
        writeDown(
            "A request for \(name.isEmpty ? device.description : name) is undetermined",
            """
            It cannot be known any more whether request \(key.id) of \(actor) changed the device: \
            \(reason.why).
            """, about: .device(device, name: name), in: key.account, at: now, into: &effects)
    }

    private mutating func writeDown(
        _ title: String, _ body: String, about subject: PostSubject? = nil, in account: AccountIndex,
        at now: Moment, into effects: inout Effects
    ) {
        guard let leftOut = ownPosts.spend(for: account, at: now.monotonic), hasUser(account) else { return }
        let more =
            switch leftOut {
            case 0: ""
            case 1: "\n\nOne more like this was left out before it."
            default: "\n\n\(leftOut) more like this were left out before it."
            }
        let post = Post(
            number: logbooks[account].marks.lastPost.next, author: .controller, writtenAt: now.wall,
            title: title, body: body + more, subject: subject)
        _ = add(KeptPost(post, requestID: nil), to: account, at: now.wall, into: &effects)
    }
}

extension UndeterminedReason {
    /// Why nobody can know, in words.
    var why: String {
        switch self {
        case .deviceReset: "the device has lost its memory"
        case .superseded: "the controller's journal went back, and does not say whether it was carried out"
        case .deviceGone: "the device has left, or stayed away for a day"
        }
    }
}
