import FleetProtocol

/// The services of accounts, and their registry: a new service is added here.
///
/// Each service is a machine with private state. It reads the engine through a ``ServiceContext``, returns
/// the reply to a request, and appends the changes that must be stored before the reply leaves.
struct AccountServices: Sendable {
    var logbook = LogbookService()
    var sites = SiteService()
    var rosters = RosterService()
    var commandQueues = CommandQueueService()
    private var labels = LabelService()
    private var loadTests = LoadTestService()

    /// The number of records of labels that could not be read; they stay in the store.
    private(set) var unreadableRecords = 0
    /// A service with another record that could not be read; nil if all could.
    private(set) var damaged: ServiceName?

    /// The names of all services, in the order of their storage parts.
    static let names = [
        LogbookRequest.service, SiteRequest.service, QueueRequest.service, RosterRequest.service,
        LabelRequest.service, LoadTestRequest.service,
    ]

    /// Handles a request of a user.
    mutating func handle(
        _ message: ServiceMessage, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ClientReply.Body {
        switch message.service {
        case LogbookRequest.service: logbook.answer(message.content, in: context, into: &output)
        case SiteRequest.service: sites.answer(message.content, in: context, into: &output)
        case RosterRequest.service: rosters.answer(message.content, in: context, into: &output)
        case QueueRequest.service: commandQueues.answer(message.content, in: context, into: &output)
        case LabelRequest.service: labels.answer(message.content, in: context, into: &output)
        case LoadTestRequest.service: loadTests.answer(message.content, in: context, into: &output)
        default: .refusal(.invalid("service.service: this controller has no service \(message.service)"))
        }
    }

    /// Whether a request of a service changes nothing.
    static func isReadOnly(_ message: ServiceMessage) -> Bool {
        switch message.service {
        case LogbookRequest.service: LogbookService.isReadOnly(message.content)
        case SiteRequest.service: SiteService.isReadOnly(message.content)
        case RosterRequest.service: RosterService.isReadOnly(message.content)
        case QueueRequest.service: CommandQueueService.isReadOnly(message.content)
        case LabelRequest.service: LabelService.isReadOnly(message.content)
        case LoadTestRequest.service: LoadTestService.isReadOnly(message.content)
        default: true
        }
    }

    mutating func restore(_ configuration: ControllerConfiguration, in directory: inout Directory) {
        for record in configuration.records {
            if configuration.planted(.labelsLost), record.service == LabelRequest.service { continue }
            if configuration.planted(.rosterLost), record.service == RosterRequest.service { continue }
            if let account = directory.accountMade(record.account) { restore(record, of: account) }
        }
    }

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) {
        do throws(WireError) {
            switch record.service {
            case LogbookRequest.service: try logbook.restore(record, of: account)
            case SiteRequest.service: try sites.restore(record, of: account)
            case QueueRequest.service: try commandQueues.restore(record, of: account)
            case RosterRequest.service: try rosters.restore(record, of: account)
            case LabelRequest.service: try labels.restore(record, of: account)
            default: break
            }
        } catch {
            if record.service == LabelRequest.service {
                unreadableRecords += 1
            } else {
                damaged = record.service
            }
        }
    }

    /// Removes what services have of a device that has left the fleet for good.
    mutating func deviceIsRemoved(
        _ device: DeviceID, from account: AccountIndex, id: AccountID, into changes: inout [StorageChange]
    ) {
        sites.deviceIsRemoved(device, from: account, id: id, into: &changes)
        labels.deviceIsRemoved(device, from: account, id: id, into: &changes)
    }

    func hasData(of account: AccountIndex) -> Bool {
        logbook.hasData(of: account) || sites.hasData(of: account) || rosters.hasData(of: account)
            || commandQueues.hasData(of: account) || labels.hasData(of: account)
            || loadTests.hasData(of: account)
    }
}
