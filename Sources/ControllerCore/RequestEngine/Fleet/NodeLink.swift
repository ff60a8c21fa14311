import FleetProtocol

/// The connection of a node, which boot of it counts, and which others are refused.
///
/// Boots have no order, and the last messages of a dead boot may arrive after the hello of the next. So
/// only the answer to a later question shows that a boot is alive: a repeated hello, or the chunk of a pull.
/// If two boots answer the same question, two processes of the node run, and the earlier one serves.
struct NodeLink: Sendable {
    private struct Candidate: Sendable {
        let bootID: BootID
        let connection: ConnectionID
        /// The number of the pull that shows which boots are alive; nil before both boots are asked.
        var question: UInt64?
        var askedAt: MonotonicTime
        /// Whether the boots that were asked have had the time to answer.
        var isOverdue = false
        /// Whether the candidate, and the boot that counts, have answered.
        var hasAnswered = false
        var hasCurrentAnswered = false

        func isOver(at now: MonotonicTime) -> Bool {
            question == nil ? askedAt.duration(to: now) >= Limits.bootTimeout : isOverdue
        }
    }

    /// A boot that is refused because an earlier one is alive.
    struct Rival: Sendable {
        let run: NodeRun
        var receivedAt: MonotonicTime
    }

    enum Greeting: Equatable {
        /// The boot must repeat its hello. With a number, both boots are asked to answer a pull first.
        case ask(UInt64?)
        /// The boots that were asked have time left to answer.
        case wait
        case refuse(isNew: Bool)
        /// The boot counts from now on; if both boots have answered, the other one is refused.
        case accept(hasRival: Bool)
    }

    /// The numbers of earlier boots, and of refused ones, that are stored: an older one counts as new.
    private static let bootsAtMost = 8

    private(set) var connection: ConnectionID
    private(set) var bootID: BootID
    /// Incremented with each boot: change numbers compare only within one boot.
    private(set) var boot: UInt32 = 1
    /// Whether this boot has ended in good order; only a later boot brings the node back.
    private(set) var hasLeft = false
    private var candidate: Candidate?
    /// Boots that others have replaced, in that order, with their numbers.
    private var replaced: [(bootID: BootID, boot: UInt32)] = []
    /// The number that this boot had before others replaced it; nil if none has.
    private(set) var resumedFrom: UInt32?
    /// The boots that are refused while this one holds the node's lease, in the order of their hellos.
    private(set) var rivals: [Rival] = []

    init(_ connection: ConnectionID, _ bootID: BootID) {
        (self.connection, self.bootID) = (connection, bootID)
    }

    mutating func leave() { hasLeft = true }

    /// Decides on the hello of another boot. The boot that counts may be alive if it has the lease over
    /// another connection: `isHeld`. A pull of the number `question` is sent if both boots are asked.
    mutating func greet(
        _ run: NodeRun, at connection: ConnectionID, isHeld: Bool, question: UInt64, at now: MonotonicTime
    ) -> Greeting {
        if isHeld, let place = rivals.firstIndex(where: { $0.run == run }) {
            rivals[place].receivedAt = now
            return .refuse(isNew: false)
        }
        let isPatient = candidate.map { !$0.isOver(at: now) } ?? false
        guard let known = candidate, known.bootID == run.bootID, known.connection == connection else {
            // Two later boots would displace each other without end.
            if isPatient { return .wait }
            candidate = Candidate(bootID: run.bootID, connection: connection, askedAt: now)
            return ask(isHeld ? question : nil, at: now)
        }
        guard isHeld else { return .accept(hasRival: false) }
        // The boot that counts had lost its lease at the first hello, and has it again.
        guard known.question != nil else { return ask(question, at: now) }
        switch (known.hasAnswered, known.hasCurrentAnswered) {
        case (true, true):
            if replaced.contains(where: { $0.bootID == run.bootID }) { return .accept(hasRival: true) }
            refuse(run, at: now)
            return .refuse(isNew: true)
        case (_, false): return isPatient ? .wait : .accept(hasRival: false)
        case (false, true):
            if isPatient { return .wait }
            candidate = nil
            return greet(run, at: connection, isHeld: isHeld, question: question, at: now)
        }
    }

    private mutating func ask(_ question: UInt64?, at now: MonotonicTime) -> Greeting {
        candidate?.question = question
        candidate?.askedAt = now
        return .ask(question)
    }

    /// Records the answer to a question; returns the candidate's connection once both boots have answered.
    mutating func answered(_ question: UInt64, at connection: ConnectionID) -> ConnectionID? {
        guard candidate?.question == question else { return nil }
        if connection == self.connection { candidate?.hasCurrentAnswered = true }
        if connection == candidate?.connection { candidate?.hasAnswered = true }
        guard let candidate, candidate.hasAnswered, candidate.hasCurrentAnswered else { return nil }
        return candidate.connection
    }

    /// Ends the time to answer once it is over; returns the candidate's connection then. Only this ends it:
    /// after a turn that took longer, an answer may wait behind the candidate's hello.
    mutating func endQuestion(at now: MonotonicTime) -> ConnectionID? {
        guard let asked = candidate, asked.askedAt.duration(to: now) >= Limits.bootTimeout else { return nil }
        candidate?.isOverdue = true
        return asked.connection
    }

    mutating func refuse(_ run: NodeRun, at now: MonotonicTime) {
        candidate = nil
        rivals = rivals.suffix(Self.bootsAtMost - 1) + [Rival(run: run, receivedAt: now)]
    }

    mutating func move(to connection: ConnectionID, bootID: BootID) {
        candidate = nil
        self.connection = connection
        guard bootID != self.bootID else { return }
        let place = replaced.firstIndex { $0.bootID == bootID }
        resumedFrom = place.map { replaced[$0].boot }
        if let place {
            replaced.removeSubrange(place...)
        } else {
            replaced = replaced.suffix(Self.bootsAtMost - 1) + [(self.bootID, boot)]
        }
        rivals = []
        self.bootID = bootID
        boot += 1
        hasLeft = false
    }
}
