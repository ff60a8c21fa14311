import FleetProtocol

/// What cannot be kept yet, and what must not leave before it is.
///
/// Answers that say nothing but what is kept already do not wait. Those that do are bounded: each request
/// that is in flight has a few, and beyond ``repliesAtMost`` of all kinds a question is refused as busy.
struct WaitingWork {
    /// Updates that wait at most; those beyond are dropped, and observers see the gap.
    private static let updatesAtMost = 65_536
    /// Answers that wait before a question is refused instead.
    static let repliesAtMost = 65_536

    private(set) var effects = Controller.Effects()
    /// The requests that entries are about which are not kept.
    private var requests: Set<RequestID> = []

    /// Takes out what waits, so that it is tried again.
    mutating func take() -> Controller.Effects {
        var taken = Controller.Effects()
        swap(&taken, &effects)
        return taken
    }

    /// Puts back what found no room.
    mutating func giveBack(_ due: Controller.Effects) {
        effects = due
        if due.entries.isEmpty { requests.removeAll() }
    }

    /// Nothing waits any more.
    mutating func clear() {
        requests.removeAll()
    }

    /// Has what cannot be kept wait, and what depends on it; the rest stays.
    ///
    /// - Parameter everyReplyLeaves: The mistake that a simulation plants.
    mutating func hold(_ leaving: inout Controller.Effects, everyReplyLeaves: Bool) {
        var held = Controller.Effects()
        swap(&held, &leaving)
        leaving.messages = held.messages.filter { !$0.message.needsJournal }
        held.messages = []
        if everyReplyLeaves {
            swap(&leaving.replies, &held.replies)
        } else {
            divide(&held, &leaving)
        }
        swap(&leaving.checks, &held.checks)
        swap(&leaving.hashings, &held.hashings)
        let room = Self.updatesAtMost - effects.updates.count
        held.updates.removeLast(max(0, held.updates.count - room))
        for entry in held.entries { if let id = entry.requestID { requests.insert(id) } }
        effects.append(held)
    }

    /// Lets those answers leave that do not depend on what waits, and refuses questions that are too many.
    ///
    /// Whoever began what is to be kept is answered in the turn in which the entry is made: such an answer is
    /// never refused, for then it would be said that nothing was done.
    private func divide(_ held: inout Controller.Effects, _ leaving: inout Controller.Effects) {
        let new = Set(held.entries.compactMap(\.requestID))
        let isLogbookNew = !held.logbookEntries.isEmpty
        let isLogbookKept = !isLogbookNew && effects.logbookEntries.isEmpty
        let areSitesNew = !held.siteEntries.isEmpty
        let areSitesKept = !areSitesNew && effects.siteEntries.isEmpty
        let areSequencesNew = !held.sequenceEntries.isEmpty
        let areSequencesKept = !areSequencesNew && effects.sequenceEntries.isEmpty
        let areRostersNew = !held.rosterEntries.isEmpty
        let areRostersKept = !areRostersNew && effects.rosterEntries.isEmpty
        var waiting: [(client: ConnectionID, reply: ClientReply)] = []
        for (client, reply) in held.replies {
            let isFull = effects.replies.count + waiting.count >= Self.repliesAtMost
            let mayLeave: Bool
            let mayBeRefused: Bool
            switch reply.dependence {
            case .nothing: (mayLeave, mayBeRefused) = (true, false)
            case .everything: (mayLeave, mayBeRefused) = (false, false)
            case .request(let id, let isFinal):
                mayLeave = !new.contains(id) && !requests.contains(id)
                mayBeRefused = isFinal && !new.contains(id)
            case .ends(let ids):
                mayLeave = !ids.contains { new.contains($0) || requests.contains($0) }
                mayBeRefused = true
            case .logbook:
                (mayLeave, mayBeRefused) = (isLogbookKept, !isLogbookNew)
            case .sites:
                (mayLeave, mayBeRefused) = (areSitesKept, !areSitesNew)
            case .sequences:
                (mayLeave, mayBeRefused) = (areSequencesKept, !areSequencesNew)
            case .rosters:
                (mayLeave, mayBeRefused) = (areRostersKept, !areRostersNew)
            }
            if mayLeave {
                leaving.replies.append((client, reply))
            } else if isFull, mayBeRefused {
                let body = ClientReply.Body.refusal(.storageFull(retryAfter: Limits.storageRetry))
                leaving.replies.append((client, ClientReply(correlation: reply.correlation, body: body)))
            } else {
                waiting.append((client, reply))
            }
        }
        held.replies = waiting
    }
}

extension JournalEntry {
    /// The request that it is about; nil where it is about none.
    fileprivate var requestID: RequestID? {
        switch self {
        case .admitted(let request), .dispatched(let request, _): request.requestID
        case .cancelRequested(_, let id): id
        case .ended(_, let report, _, _): report.requestID
        case .horizonRaised, .segmentsForgotten, .segmentBegan: nil
        }
    }
}

extension ClientReply {
    /// What has to be kept before an answer may be given.
    fileprivate enum Dependence {
        /// Nothing: it refuses, or says what is so at this moment.
        case nothing
        /// What is kept of a request; and whether it tells of an end.
        case request(RequestID, isFinal: Bool)
        /// The ends of requests.
        case ends([RequestID])
        /// What is kept of logbooks.
        case logbook
        /// What is kept of sites.
        case sites
        /// What is kept of sequences.
        case sequences
        /// What is kept of rosters.
        case rosters
        /// Whatever waits.
        case everything
    }

    fileprivate var dependence: Dependence {
        switch body {
        case .snapshot, .status, .users, .keys, .who, .counters, .injected, .carriedOut, .faults,
            .wayIn(.ways),
            .streamTicket, .refusal:
            .nothing
        case .outcome(let report): .request(report.requestID, isFinal: report.outcome.isFinal)
        case .cancel(let id, .pending): .request(id, isFinal: false)
        case .cancel(let id, .cancelled), .cancel(let id, .tooLate): .request(id, isFinal: true)
        case .history(let chunk): .ends(chunk.outcomes.map(\.report.requestID))
        case .posts, .post, .comments, .comment, .postRemoved, .authors: .logbook
        case .sites: .sites
        case .sequences: .sequences
        case .roster: .rosters
        case .session, .signedOut, .userAdded, .userRemoved, .passwordChanged, .userChanged, .keyAdded,
            .keyRevoked,
            .wayIn(.recoveryBegun), .wayIn(.passwordReset):
            .everything
        }
    }
}
