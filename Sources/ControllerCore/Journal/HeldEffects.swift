import FleetProtocol

/// Changes that cannot be written yet, and the effects that must not leave before they are.
///
/// Replies that depend only on written changes do not wait; a history leaves out other outcomes. The number
/// of waiting replies is bounded: each request in flight has a few, and beyond ``repliesAtMost`` a query is
/// refused with `storageFull`.
struct HeldEffects {
    /// The maximum number of held updates; later ones are dropped, and observers detect the gap.
    private static let updatesAtMost = 65_536
    /// The number of held replies from which queries are refused.
    static let repliesAtMost = 65_536

    private(set) var effects = Controller.Effects()
    private var requests: Set<RequestID> = []

    mutating func removeAll() -> Controller.Effects {
        var drained = Controller.Effects()
        swap(&drained, &effects)
        return drained
    }

    /// Holds effects again that could not be written.
    mutating func giveBack(_ due: Controller.Effects) {
        effects = due
        if !due.changes.contains(where: { $0.part == .requests }) { requests.removeAll() }
    }

    mutating func clear() {
        requests.removeAll()
    }

    /// Holds changes that cannot be written, and the effects that depend on them; the rest stays. With
    /// planted bugs, no reply waits, or none of account services.
    mutating func hold(_ released: inout Controller.Effects, releasesEveryReply: Bool, releasesServices: Bool)
    {
        var held = Controller.Effects()
        swap(&held, &released)
        released.messages = held.messages.filter { !$0.message.needsJournal }
        held.messages = []
        if releasesEveryReply {
            swap(&released.replies, &held.replies)
        } else {
            divide(&held, &released, ignoring: releasesServices ? .services : [])
        }
        released.rare = held.rare.filter { !$0.needsJournal }
        held.rare.removeAll { !$0.needsJournal }
        let room = Self.updatesAtMost - effects.updates.count
        held.updates.removeLast(max(0, held.updates.count - room))
        requests.formUnion(held.changes.compactMap(\.requestID))
        effects.append(held)
    }

    /// Releases replies that do not depend on held changes, and refuses queries beyond the limit. A client
    /// that made a change gets its reply in the turn of the change. Such a reply is never refused: the client
    /// would conclude that nothing was done.
    private func divide(
        _ held: inout Controller.Effects, _ released: inout Controller.Effects, ignoring ignored: StorageParts
    ) {
        guard !held.replies.isEmpty else { return }
        let new = Set(held.changes.compactMap(\.requestID))
        let (newParts, waitingParts) = (Self.parts(of: held), Self.parts(of: effects))
        var waiting: [Controller.Effects.Reply] = []
        for sent in held.replies {
            if case .history(var chunk) = sent.reply.body {
                chunk.outcomes.removeAll {
                    new.contains($0.report.requestID) || requests.contains($0.report.requestID)
                }
                let reply = ClientReply(correlation: sent.reply.correlation, body: .history(chunk))
                released.replies.append(Controller.Effects.Reply(client: sent.client, reply: reply))
                continue
            }
            let reply = sent.reply
            let parts = reply.body.dependence.subtracting(ignored.union(.requests))
            let ids = reply.body.namedRequests
            let dependsOnNew = !parts.isDisjoint(with: newParts) || ids.contains(where: new.contains)
            let dependsOnWaiting =
                !parts.isDisjoint(with: waitingParts) || ids.contains(where: requests.contains)
            if !dependsOnNew, !dependsOnWaiting {
                released.replies.append(sent)
            } else if !dependsOnNew, reply.body.mayBeRefused,
                effects.replies.count + waiting.count >= Self.repliesAtMost
            {
                let body = ClientReply.Body.refusal(.storageFull(retryAfter: Limits.storageRetry))
                released.replies.append(
                    Controller.Effects.Reply(
                        client: sent.client,
                        reply: ClientReply(correlation: reply.correlation, body: body)))
            } else {
                waiting.append(sent)
            }
        }
        held.replies = waiting
    }

    private static func parts(of effects: Controller.Effects) -> StorageParts {
        effects.changes.reduce(into: []) { $0.formUnion($1.part) }
    }
}

extension ClientReply.Body {
    /// The parts of the storage that the reply depends on. It depends only on the requests in
    /// ``namedRequests``, not on others.
    fileprivate var dependence: StorageParts {
        switch self {
        case .snapshot, .status, .users, .keys, .who, .counters, .injected, .carriedOut, .faults,
            .selfService(.availability), .streamTicket, .refusal, .history:
            []
        case .outcome, .cancel: .requests
        // A cell's directory has its users.
        case .service(let message) where message.service == CellRequest.service: .access
        case .service(let message): StorageParts(of: message.service)
        case .session, .signedOut, .userAdded, .userRemoved, .passwordChanged, .userChanged, .keyAdded,
            .keyRevoked, .selfService(.resetRequested), .selfService(.passwordReset):
            .access
        }
    }

    /// The requests whose changes must be stored before the reply leaves.
    fileprivate var namedRequests: [RequestID] {
        switch self {
        case .outcome(let report): [report.requestID]
        case .cancel(let id, _): [id]
        default: []
        }
    }

    /// Whether a refusal may replace the reply. A client must not get a refusal for a request that was
    /// admitted and has not ended, because a refusal means that nothing was done.
    fileprivate var mayBeRefused: Bool {
        switch self {
        case .outcome(let report): report.outcome.isFinal
        case .cancel(_, .pending): false
        default: true
        }
    }
}
