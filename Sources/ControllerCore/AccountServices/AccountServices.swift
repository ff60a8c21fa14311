import FleetProtocol

/// The services of accounts. Each service is a machine with private state. It reads the engine through a
/// ``ServiceContext``, returns the reply to a request, and appends the changes that must be stored before the
/// reply leaves.
struct AccountServices: Sendable {
    var logbook = LogbookService()
    var commandQueues = CommandQueueService()
    var rosters = RosterService()
    private var sites = SiteService()
    private var labels = LabelService()
    private var loadTests = LoadTestService()

    /// The registry, in the order of the services' storage parts: a new service is added at the end.
    private static let all = [
        Entry(\.logbook), Entry(\.sites), Entry(\.commandQueues), Entry(\.rosters), Entry(\.labels),
        Entry(\.loadTests),
    ]

    /// The number of ignored records, which their service could not read; they stay in the store.
    private(set) var unreadableRecords = 0
    /// A service that could not read one of its records; nil if there is none.
    private(set) var damaged: ServiceName?

    /// The names of all services, in the order of their storage parts.
    static let names = all.map { $0.type.name }

    private static func entry(_ name: ServiceName) -> Entry? { all.first { $0.type.name == name } }

    mutating func handle(
        _ message: ServiceMessage, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ClientReply.Body {
        guard let entry = Self.entry(message.service) else {
            return .refusal(.invalid("service.service: this controller has no service \(message.service)"))
        }
        return entry.answer(&self, message.content, context, &output)
    }

    static func isReadOnly(_ message: ServiceMessage) -> Bool {
        entry(message.service)?.type.isReadOnly(message.content) ?? true
    }

    /// Restores a stored record; that of a service that does not exist is ignored.
    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) {
        guard let entry = Self.entry(record.service), !entry.restore(&self, record, account) else { return }
        if entry.type.ignoresUnreadable { unreadableRecords += 1 } else { damaged = entry.type.name }
    }

    mutating func deviceIsRemoved(
        _ device: DeviceID, from account: AccountIndex, id: AccountID, into changes: inout [StorageChange]
    ) {
        for entry in Self.all { entry.removeDevice(&self, device, account, id, &changes) }
    }

    func hasData(of account: AccountIndex) -> Bool { Self.all.contains { $0.hasData(self, account) } }

    private struct Entry: Sendable {
        let type: any AccountService.Type
        let hasData: @Sendable (AccountServices, AccountIndex) -> Bool
        let answer:
            @Sendable (inout AccountServices, [UInt8], ServiceContext, inout ServiceOutput)
                -> ClientReply.Body
        /// Returns whether the record could be read.
        let restore: @Sendable (inout AccountServices, ServiceRecord, AccountIndex) -> Bool
        let removeDevice:
            @Sendable (inout AccountServices, DeviceID, AccountIndex, AccountID, inout [StorageChange])
                -> Void

        init<Service: AccountService>(_ path: any WritableKeyPath<AccountServices, Service> & Sendable) {
            type = Service.self
            hasData = { $0[keyPath: path].hasData(of: $1) }
            answer = { $0[keyPath: path].answer($1, in: $2, into: &$3) }
            restore = { (try? $0[keyPath: path].restore($1, of: $2)) != nil }
            removeDevice = { $0[keyPath: path].deviceIsRemoved($1, from: $2, id: $3, into: &$4) }
        }
    }
}
