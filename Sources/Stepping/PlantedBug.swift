/// A mistake that somebody could make, and that a simulation must find.
public enum PlantedBug: String, CaseIterable, Sendable {
    /// Answers leave before what they tell is kept.
    case answerBeforeJournal
    /// What ended is remembered by the process alone.
    case dedupeInMemoryOnly
    /// A command that is not answered is sent again as another.
    case secondSequence
    /// A command leaves after its deadline.
    case commandAfterDeadline
    /// A cancel is granted though the command is on its way.
    case cancelIgnoresDispatched
    /// A cancel of an id that was never seen leaves nothing behind.
    case noTombstone
    /// A restarted controller has forgotten who cancelled.
    case cancelForgotten
    /// A controller that was overtaken goes on appending to the journal.
    case noFence
    /// A device applies a toggle to whatever it is at.
    case noBaseCheck
    /// A device answers, and then remembers.
    case answerBeforeMemory
    /// A row of a snapshot is written over a newer one.
    case olderRowWins
    /// An observer takes no notice of missing updates.
    case gapIgnored
    /// An observer takes no notice of a beat's sequence.
    case beatWithoutSequence
    /// An observer takes no notice of silence.
    case silenceIgnored
    /// What was forgotten leaves no horizon behind.
    case noHorizon
    /// Who asks for a device's request is not compared with whose it is.
    case noAccountCheck
    /// Devices do not look at the incarnation that a command names.
    case noIncarnation
    /// A device that lost its memory has the incarnation it had before.
    case recurringIncarnation
    /// The journal is read before the epoch is stored.
    case journalBeforeEpoch
    /// What waits for a full disk is told at once.
    case uncommittedReads
    /// An id that is not here is new, though not all of the journal was read.
    case unreadIsNew
    /// A restarted controller knows no device until its node says hello.
    case devicesForgotten
    /// A hello of a life of a node that is over takes the place of the next.
    case lateHelloTaken
    /// After a restart a request has all its time again.
    case deadlineForgotten
    /// A timer that has run out is still set, and a schedule that was done is due as before.
    case timerKept
    /// A restarted controller has forgotten what waited in lanes.
    case lanesForgotten
    /// A version that somebody named is compared with the next one of its device.
    case conflictWithNext
    /// A command of a sequence is let in before it is kept that its turn has come.
    case turnNotKept
    /// A restarted controller begins the command of a sequence anew whose turn it was.
    case turnTakenTwice
    /// A device whose memory went back is not asked to begin a new incarnation.
    case memoryBelieved
}

/// Whether a mistake is planted: never, unless the package was built with `PLANTED_BUGS`.
public struct Planting: Sendable {
    #if PLANTED_BUGS
    private let bug: PlantedBug?

    /// That mistake is planted; nil: none.
    public init(_ bug: PlantedBug? = nil) {
        self.bug = bug
    }

    /// Whether it is this one.
    public func callAsFunction(_ bug: PlantedBug) -> Bool { self.bug == bug }

    /// Whether mistakes can be planted at all.
    public static let isPossible = true
    #else
    /// None.
    @inlinable
    public init(_ bug: PlantedBug? = nil) {}

    /// No.
    @inlinable
    public func callAsFunction(_ bug: PlantedBug) -> Bool { false }

    /// Whether mistakes can be planted at all.
    public static let isPossible = false
    #endif
}
