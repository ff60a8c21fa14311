import ControllerCore
import FleetProtocol

/// All clients: four that send commands, and users of account services.
struct Clients {
    static let accounts = [AccountID("demo"), AccountID("other")].compactMap { $0 }
    /// The clients that send commands come first; the last of them is of the second account.
    static let commandClients = 4

    static let operatorDigest = TokenDigest([UInt8](repeating: .max, count: 32))

    private var clients = InPlaceArray<Client>()
    /// By the place of the account in `accounts`.
    private var commands = Self.accounts.map { _ in CommandWorkload() }
    private var commandQueues = Self.accounts.map { _ in CommandQueueWorkload() }
    private var accountClients = AccountClients(accounts: Clients.accounts)
    private var users: [ControllerConfiguration.User] = []
    private var sessions: [ControllerConfiguration.OpenSession] = []
    private var lastCorrelation: UInt64 = 0

    init(_ faults: FaultConfiguration, _ network: inout Network, _ random: inout RandomSources) {
        for index in 0..<Self.commandClients {
            let account = Self.accounts[Self.accountPlace(of: index)]
            let digest = addSession(of: account)
            let clockError = faults.clientClockError(using: &random.partitions)
            add(account, digest, clockError, &network)
        }
        guard faults.accountClients else { return }
        users += accountClients.records
        for index in 0..<accountClients.count { add(accountClients.account(of: index), nil, .zero, &network) }
    }

    private static func accountPlace(of index: Int) -> Int { index == commandClients - 1 ? 1 : 0 }

    private mutating func add(
        _ account: AccountID, _ digest: TokenDigest?, _ clockError: Duration, _ network: inout Network
    ) {
        network.addLink(of: .client(clients.count))
        let connection = network.newConnection()
        clients.append(
            Client(account: account, digest: digest, clockError: clockError, connection: connection))
    }

    /// Adds a user with an open session, and returns the digest of its token.
    mutating func addSession(of account: AccountID) -> TokenDigest {
        let index = sessions.count
        guard let email = Email("client-\(index)@sensibus.local"),
            let digest = TokenDigest([UInt8](repeating: UInt8(index), count: 32))
        else { preconditionFailure("client \(index) has no name") }
        let session = Session(account: account, email: email, role: .member, isOperator: false)
        users.append(ControllerConfiguration.User(session: session, passwordHash: ""))
        sessions.append(.init(digest: digest, email: email, openedAt: World.start.wall))
        return digest
    }

    mutating func addOperator() {
        guard let email = Email("operator@sensibus.local"), let digest = Self.operatorDigest else {
            preconditionFailure("the operator has no name")
        }
        let session = Session(account: Self.accounts[0], email: email, role: .owner, isOperator: true)
        users.append(ControllerConfiguration.User(session: session, passwordHash: ""))
        sessions.append(.init(digest: digest, email: email, openedAt: World.start.wall))
    }

    func roleChange(of index: Int, using random: inout SeededGenerator) -> ClientRequest.Body {
        .changeRole(users[index].session.email, to: Bool.random(using: &random) ? .viewer : .member)
    }

    var records: AccountRecords { AccountRecords(users: users, sessions: sessions) }

    var indices: Range<Int> { clients.indices }

    var accountIndices: Range<Int> { Self.commandClients..<clients.count }

    subscript(index: Int) -> Client {
        _read { yield clients[index] }
        _modify { yield &clients[index] }
    }

    func first(of account: AccountID) -> Int? { clients.firstIndex { $0.account == account } }

    mutating func nextCorrelation() -> UInt64 {
        lastCorrelation += 1
        return lastCorrelation
    }

    mutating func nextRequest(
        of index: Int, nodes: inout InPlaceArray<NodeProcess>, at now: WallTime,
        using random: inout RandomSources
    ) -> ClientRequest.Body {
        let place = Self.accountPlace(of: index)
        let foreign = commands[1 - place].last?.requestID
        return commands[place].next(
            of: clients[index], foreign: foreign, nodes: &nodes, at: now, using: &random)
    }

    /// Chooses the next request of a client about command queues; nil for none.
    mutating func nextQueueRequest(
        of index: Int, devices: [DeviceID], mayStart: Bool, at now: WallTime,
        using random: inout SeededGenerator
    ) -> QueueRequest? {
        commandQueues[Self.accountPlace(of: index)].next(
            of: clients[index], devices: devices, mayStart: mayStart, at: now, using: &random)
    }

    /// Chooses the next request of a user of account services; nil if the user waits for a reply.
    mutating func nextQuestion(
        of index: Int, devices: [DeviceID], at now: WallTime, using random: inout SeededGenerator
    ) -> AccountQuestion? {
        accountClients.next(of: index - Self.commandClients, devices: devices, at: now, using: &random)
    }

    mutating func received(_ message: OutgoingMessage) { accountClients.received(message) }

    mutating func received(
        _ body: ClientReply.Body, _ content: ClientReply.Body.Decoded?, to question: AccountQuestion,
        by index: Int
    ) {
        accountClients.received(body, content, to: question, by: index - Self.commandClients)
    }
}

/// A client of the controller: its account and its connection.
struct Client {
    let account: AccountID
    /// Its session; nil for an account client, which has several.
    var digest: TokenDigest?
    /// The error of its wall clock, which its request IDs carry.
    var clockError = Duration.zero
    private(set) var connection: ConnectionID
    /// The controller process that the connection leads to; nil without one.
    var controller: Int?

    mutating func connect(_ connection: ConnectionID, to controller: Int) {
        (self.connection, self.controller) = (connection, controller)
    }
}
