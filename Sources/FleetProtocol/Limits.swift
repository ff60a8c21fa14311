/// All bounds of the wire contract.
public enum Limits {
    /// The major version of the wire contract; another one is refused.
    public static let protocolVersion: UInt32 = 1

    /// Bytes in one message without a chunk of rows.
    public static let messageBytes = 16 * 1024
    /// Bytes in one message with a chunk: a reply to a client, a supervisor's reply, a node's message.
    public static let chunkBytes = 64 * 1024
    /// Messages in one batch: the overhead of a frame is then small per message, and the controller handles a
    /// batch of the longest queries within its time for one socket in one turn.
    public static let batchMessages = 64
    /// Bytes in one batch; the sockets close connections with longer frames.
    public static let batchBytes = chunkBytes
    /// Devices whose states one update reports, as many as a telemetry message has rows; far below
    /// ``messageBytes``, because queues bound the number of updates and not their bytes.
    public static let updateDevices = 100
    /// Rows in one chunk; with names of full length it still fits in ``chunkBytes``.
    public static let chunkRows = 400
    /// Bytes of settings in a chunk of a node; with names of full length it still fits in ``chunkBytes``.
    public static let chunkSettingsBytes = 8 * 1_024
    /// Bytes in a topic; libzmq 4.3.4 stops matching topics of 246 bytes and more.
    public static let topicBytes = 64

    /// Bytes in a device's name.
    public static let nameBytes = 64
    /// Bytes in an update of an account service; queues bound the number of updates and not their bytes.
    public static let serviceUpdateBytes = 3 * 1_024
    /// Bytes in the name of a node.
    public static let nodeNameBytes = 32
    /// Bytes in an account's name.
    public static let accountBytes = 32
    /// The maximum number of bytes of a machine's name.
    public static let hostBytes = 64
    /// Bytes in an email address (RFC 5321, section 4.5.3.1).
    public static let emailBytes = 254
    /// Bytes in a password; a longer one would only take more time to hash.
    public static let passwordBytes = 256
    /// The minimum of bytes in a new password (NIST SP 800-63B, section 5.1.1.1: 8 characters).
    public static let chosenPasswordBytes = 8
    /// Bytes in the source of a forwarded log-in: an IPv6 address with a zone fits.
    public static let loginSourceBytes = 64
    /// Bytes in a text that explains a refusal or a rejection.
    public static let explanationBytes = 512

    /// The timeout of a client that names none.
    public static let defaultTimeout: Duration = .seconds(5)
    /// The longest timeout of a client.
    public static let longestTimeout: Duration = .seconds(30)
    /// How far a request ID may be ahead of the controller's clock.
    public static let idAhead: Duration = .seconds(300)

    /// Nodes of one controller, over all accounts.
    public static let controllerNodes = 4_096
    /// Accounts of one controller.
    public static let controllerAccounts = 4_096
    /// Nodes in one report of counters; each takes 400 bytes at most, so it fits in ``chunkBytes``.
    public static let counterNodes = 100

    /// Users of one account; with addresses of full length their list still fits in ``chunkBytes``.
    public static let accountUsers = 200
    /// API keys of one user.
    public static let userKeys = 32
    /// Changes of users whose passwords wait to be hashed.
    public static let userChanges = 16

    /// Schedules of one device.
    public static let deviceSchedules = 8
    /// Bytes in the name of a time zone; the longest in use has 32.
    public static let timeZoneBytes = 32

    /// Bytes that an account without devices may store in its logbook, and the same again in its sites, its
    /// roster and its command queues; the longest post fits.
    public static let bytesWithoutDevices = 16 * 1_024

    /// Bytes in a post's title.
    public static let postTitleBytes = 200
    /// Bytes in a post's body; with a title of full length a request still fits in ``messageBytes``.
    public static let postBodyBytes = 8 * 1_024
    /// Bytes in a comment.
    public static let commentBytes = 4 * 1_024
    /// Comments on one post.
    public static let postComments = 500
    /// Posts stored in one account's logbook; a new one replaces the oldest.
    public static let accountPosts = 10_000
    /// The posts among them that the controller itself has written.
    public static let controllerPosts = 1_000
    /// Bytes of text stored in one account's logbook; the oldest posts are deleted with their comments.
    public static let logbookBytes = 16 * 1_024 * 1_024
    /// The same for all accounts with devices together: each has its share.
    public static let allLogbooksBytes = 64 * 1_024 * 1_024
    /// The minimum time for which a post is stored, so that a retry never writes it twice.
    public static let shortestPost: Duration = .seconds(60)
    /// Posts in one message; fewer if they are long, so that they fit in ``chunkBytes``.
    public static let chunkPosts = 100
    /// Authors in one message; with addresses of full length they still fit in ``chunkBytes``.
    public static let chunkAuthors = 200

    /// Bytes in a site's description; with everything else of full length a request still fits in
    /// ``messageBytes``.
    public static let siteDescriptionBytes = 8 * 1_024
    /// Lines in a site's address, each of ``nameBytes`` at most.
    public static let siteAddressLines = 4
    /// Sites with a profile in one account.
    public static let accountSites = 2_000
    /// Bytes of the profiles of one account's sites.
    public static let sitesBytes = 4 * 1_024 * 1_024
    /// The same for all accounts with devices together: each has its share.
    public static let allSitesBytes = 32 * 1_024 * 1_024
    /// Devices that users have assigned to sites, in one account.
    public static let accountAssignments = 20_000
    /// The same for all accounts together: each has its share.
    public static let allAssignments = 400_000
    /// Sites on one page; with texts of full length they still fit in ``chunkBytes``.
    public static let pageSites = 100
    /// Assignments in one message.
    public static let chunkAssignments = 1_000

    /// The longest time that a command may take in its device.
    public static let longestTaking: Duration = .seconds(3_600)
    /// Commands of one queue; with texts of full length a request to start one fits in ``messageBytes``,
    /// and a report of one in ``chunkBytes``.
    public static let queueCommands = 100
    /// Bytes in the label of a command of a queue.
    public static let queueLabelBytes = 32
    /// Bytes in a text that explains how a command of a queue ended.
    public static let queueExplanationBytes = 160
    /// Command queues of one account that have not ended.
    public static let liveQueues = 16
    /// Command queues stored for one account; a new one replaces the oldest that has ended.
    public static let accountQueues = 1_000
    /// Bytes of command queues stored for one account; new ones replace the oldest that have ended.
    public static let queuesBytes = 4 * 1_024 * 1_024
    /// The same for all accounts with devices together: each has its share.
    public static let allQueuesBytes = 32 * 1_024 * 1_024
    /// Command queues in one list; with addresses of full length they still fit in ``chunkBytes``.
    public static let chunkQueues = 100

    /// Bytes in a roster's message of the day.
    public static let rosterMessageBytes = 1_024
    /// Shifts in the roster of one account.
    public static let accountShifts = 5_000
    /// Bytes of the roster of one account.
    public static let rosterBytes = 1_024 * 1_024
    /// The same for all accounts with devices together, including shifts staged for imports: each has its
    /// share.
    public static let allRostersBytes = 32 * 1_024 * 1_024
    /// Shifts in one message of an import.
    public static let stagedShifts = 200
    /// Bytes of shifts in one message of an import; the whole message fits in ``messageBytes``.
    public static let stagedShiftBytes = 12 * 1_024
    /// The time for which shifts stay staged for an import that does not continue.
    public static let stagedFor: Duration = .seconds(60)
    /// Bytes of shifts in one chunk of a roster; with its heading it fits in ``chunkBytes``.
    public static let chunkShiftBytes = 48 * 1_024
    /// Emails without a user that the answer to an import names.
    public static let namedStrangers = 20

    /// Requests in one device's lane, including the one in flight.
    public static let laneRequests = 16
    /// Requests of one account that have not ended.
    public static let accountRequests = 4_096
    /// Requests in one controller that have not ended.
    public static let controllerRequests = 65_536
    /// Ended requests that one controller stores; beyond that, new ones are refused as busy.
    public static let endedRequests = 8_000_000
    /// IDs of one account that were cancelled before their requests arrived (tombstones).
    public static let accountTombstones = 4_096
    /// The same for all accounts: each has its share.
    public static let tombstones = 262_144
    /// The minimum time for which a controller stores an outcome: no copy of the request arrives later.
    public static let shortestRetention: Duration = .seconds(60)
    /// Clients that wait for one request; as many again may wait for its cancel.
    public static let waiters = 4
    /// Times that a relative toggle is resolved again because a hand remote was faster.
    public static let resolutions = 3

    /// The largest epoch, sequence number, version or change number on the wire.
    ///
    /// Counting from 1, a number each nanosecond, it is reached after 146 years. Larger values are forged,
    /// and could neither be incremented nor stored in a database's signed integer.
    public static let largestOrdinal: UInt64 = 1 << 62

    /// The times that clocks show, on the wire and in files: to the year 33,658, in milliseconds since 1970.
    ///
    /// Differences of any two such times are representable; other values are forged.
    public static let wallMilliseconds: ClosedRange<Int64> = -1_000_000_000_000_000...1_000_000_000_000_000
    /// The same for monotonic times in files: 146 years from the start of the clock.
    public static let monotonicNanoseconds: ClosedRange<Int64> = 0...1 << 62

    /// How far the stored epoch of a device may be ahead of the clock, and of the receiver's own epoch: no
    /// controller's clock is wrong by more.
    public static let epochAhead: Duration = .seconds(86_400)
    /// Devices in one order to begin new incarnations; with all numbers of full length it fits in
    /// ``messageBytes``.
    public static let renewedDevices = 400

    /// Groups of devices on one node; with names of full length its hello still fits in ``chunkBytes``.
    public static let nodeGroups = 256
    /// Requests in a node's hello that its devices have judged.
    public static let judgedRequests = 2
    /// Nodes with two processes in one status report.
    public static let nodeConflicts = 16
    /// How long a node's process has to answer before a later one takes its place.
    public static let bootTimeout: Duration = .milliseconds(250)
    /// Groups of devices of one account; devices of further groups have none.
    public static let accountGroups = 512

    /// Devices on one node.
    public static let nodeDevices = 1_000_000
    /// Devices named in one order to inject a fault.
    public static let faultDevices = 1_000
    /// Active faults in one list; each takes at most 40 bytes, so a list fits in ``chunkBytes``.
    public static let listedFaults = 1_000
    /// The longest duration of an injected fault.
    public static let longestFault: Duration = .seconds(24 * 3_600)
    /// The longest delay of a slow device: a longer one would exceed every deadline, like a hang.
    public static let longestDelay = longestTimeout
    /// The longest lag of what pods show.
    public static let longestLag: Duration = .seconds(3_600)
    /// Concurrent injected cloud faults.
    public static let cloudFaults = 32
    /// Bytes of pods' IDs and names in all of them; with those of a scenario they fit in ``chunkBytes``.
    public static let cloudPodBytes = 32 * 1_024
    /// Cloud faults in one scenario.
    public static let scenarioCloudFaults = 16
    /// Pods that one of these names; with names of full length the scenario fits in ``messageBytes``.
    public static let scenarioCloudPods = 8
    /// Bytes in the name of a scenario, or in its file's absolute path.
    public static let scenarioBytes = 4_096
    /// Orders of operators in one controller that some nodes have not answered.
    public static let orders = 64

    /// The time between two attempts to write on a full disk.
    public static let storageRetry: Duration = .milliseconds(250)

    /// The retry interval for an ID that may have ended in a part of the journal that a restarted controller
    /// has not read yet.
    public static let replayRetry: Duration = .milliseconds(100)

    /// The interval of the heartbeats of nodes and of the stream.
    public static let beatInterval: Duration = .milliseconds(500)
    /// The time without messages after which a node's devices, or a stream, are shown as stale.
    public static let staleAfter: Duration = .seconds(1)
    /// The time without messages after which a node is lost.
    public static let lease: Duration = .milliseconds(1_500)
    /// The time after which an unused session ends.
    public static let sessionIdle: Duration = .seconds(7 * 24 * 3_600)
    /// The longest period for which a client may request ended requests.
    public static let longestHistory: Duration = .seconds(86_400)
}
