/// A bug that can be planted in the cores, and that the simulation must find.
public enum PlantedBug: String, CaseIterable, Sendable {
    /// The controller replies before it has committed the journal entries that the reply depends on.
    case answerBeforeJournal
    /// Outcomes exist in memory only; a restarted controller has none.
    case dedupeInMemoryOnly
    /// The controller retries a command under a new command number.
    case secondCommandNumber
    /// The controller sends a command after the request's deadline.
    case commandAfterDeadline
    /// The controller grants a cancel although the command was dispatched.
    case cancelIgnoresDispatched
    /// A cancel of an unknown request ID leaves no tombstone.
    case noTombstone
    /// A restarted controller has no record of cancels.
    case cancelLost
    /// A controller that was superseded continues to append to the journal.
    case noFence
    /// A device applies a command without comparing its base version.
    case noBaseCheck
    /// A device replies before it writes its memory.
    case answerBeforeMemory
    /// A row of a snapshot replaces a newer row.
    case olderRowWins
    /// An observer ignores missing updates.
    case gapIgnored
    /// An observer ignores the sequence number of a heartbeat.
    case beatWithoutNumber
    /// An observer ignores the silence of its stream.
    case silenceIgnored
    /// Expired outcomes leave no retention horizon.
    case noHorizon
    /// The controller does not compare the account of a caller with the account of the device.
    case noAccountCheck
    /// Devices do not compare the incarnation of a command.
    case noIncarnation
    /// A device that lost its memory starts with the same incarnation as before.
    case recurringIncarnation
    /// The controller reads the journal before it stores its epoch.
    case journalBeforeEpoch
    /// A start does not compare the store with the position that the journal has of it.
    case storeInJournalIgnored
    /// A start does not compare the journal with the end that the store has of it.
    case journalInStoreIgnored
    /// A reply that depends on changes which a full disk holds back is sent at once.
    case uncommittedReads
    /// A request ID without an outcome counts as new although the journal has not been read completely.
    case unreadIsNew
    /// A restarted controller knows no devices until their node sends a hello.
    case devicesLost
    /// A late hello of an earlier boot of a node replaces the current boot.
    case lateHelloAccepted
    /// A later process of a node replaces one that is alive.
    case secondProcessAccepted
    /// A node's process does not notice that another one has taken its memory file.
    case ownerNotChecked
    /// After a restart a request has its full time to live again.
    case deadlineLost
    /// A timer that has fired remains set, and a schedule that has run remains due.
    case timerNotRemoved
    /// A restarted controller has empty lanes.
    case lanesLost
    /// The base version named by a request is compared with the device's next version.
    case conflictWithNext
    /// A command of a command queue is submitted before its turn is stored.
    case turnNotStored
    /// A restarted controller submits the current command of a command queue again under a new ID.
    case turnRepeated
    /// The controller does not ask a device whose memory was rolled back for a new incarnation.
    case memoryBelieved
    /// A reply of an account service does not wait for its change while a full disk holds the change back.
    case serviceReplyNotHeld
    /// Posts and comments exist in memory only.
    case postNotStored
    /// Account services look every caller up in the first account.
    case accountFilterMissing
    /// A snapshot has the devices of the first account.
    case snapshotOfAnyAccount
    /// A logged-out session is valid again after a restart.
    case logoutLost
    /// A revoked key is accepted until a restart.
    case revokedKeyAccepted
    /// Requests and command queues of a user who became a viewer continue.
    case workOutlivesUser
    /// A log-in stores no session.
    case sessionNotStored
    /// A restarted controller has no rosters.
    case rosterLost
    /// A restarted controller has no labels.
    case labelsLost
    /// A sign-up stores no user.
    case signUpNotStored
    /// A password reset stores no new password.
    case resetPasswordNotStored
    /// A used reset token is valid again after a restart.
    case resetTokenReusable
    /// A cell handles a log-in itself that belongs to another cell.
    case loginAtWrongCell
    /// A cell decides where a new user belongs before it has the directories of all other cells.
    case missingDirectoryIgnored
    /// A cell adds a user who belongs to another cell without a reservation.
    case additionNotReserved
    /// A cell uses a page of a directory that arrives twice or late.
    case latePageAccepted
    /// A cell takes the first page of a directory for all of it.
    case directoryIncomplete
    /// A cell uses a directory without those of the cells that got accounts from it.
    case successorsIgnored
    /// An account is used on while the rest of its content is copied to another cell.
    case moveNotFrozen
    /// A cell takes an account without its ended requests: their IDs are carried out again.
    case moveWithoutHistory
    /// A cell uses an account again when the cell that may take it does not answer in time.
    case moveLiftedUnanswered
}

extension PlantedBug {
    /// Whether only a simulation of several cells can show it.
    public var isOfCells: Bool {
        switch self {
        case .loginAtWrongCell, .missingDirectoryIgnored, .additionNotReserved, .latePageAccepted,
            .directoryIncomplete, .successorsIgnored:
            true
        case .moveNotFrozen, .moveWithoutHistory, .moveLiftedUnanswered: true
        default: false
        }
    }
}

/// The planted bug of a run: none unless the package was built with `PLANTED_BUGS`.
public struct Planting: Sendable {
    #if PLANTED_BUGS
    private let bug: PlantedBug?

    /// Plants a bug, or none.
    public init(_ bug: PlantedBug? = nil) { self.bug = bug }

    /// Whether this bug is planted.
    public func callAsFunction(_ bug: PlantedBug) -> Bool { self.bug == bug }

    /// Whether this build can plant bugs.
    public static let isPossible = true
    #else
    /// Plants no bug.
    @inlinable
    public init(_ bug: PlantedBug? = nil) {}

    /// Always false.
    @inlinable
    public func callAsFunction(_ bug: PlantedBug) -> Bool { false }

    /// Whether this build can plant bugs.
    public static let isPossible = false
    #endif
}
