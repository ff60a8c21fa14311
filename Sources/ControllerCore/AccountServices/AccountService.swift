import FleetProtocol

protocol AccountService: Sendable {
    associatedtype Request: ServiceRequest

    /// Handles a request; the changes in `output` must be stored before the reply leaves.
    mutating func handle(
        _ request: Request, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<Request.Reply>

    func hasData(of account: AccountIndex) -> Bool

    /// Restores a stored record when the controller starts; throws if its key or value cannot be read.
    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError)

    /// Whether records that it cannot read are ignored; otherwise the controller does not start.
    static var ignoresUnreadable: Bool { get }

    mutating func deviceIsRemoved(
        _ device: DeviceID, from account: AccountIndex, id: AccountID, into changes: inout [StorageChange])
}

enum ServiceResponse<Reply: WireMessage>: Sendable {
    case reply(Reply)
    case refusal(Refusal)
}

/// The effects of a service's request, other than its reply.
struct ServiceOutput {
    /// Changes that must be stored before the reply leaves.
    var changes: [StorageChange] = []
    private(set) var updates: [ServiceMessage] = []

    /// Publishes an update on the stream of the caller's account; each service bounds its values.
    mutating func publish(_ update: some WireMessage, of service: ServiceName) {
        let message = ServiceMessage(service: service, content: update.wireBytes)
        precondition(message.content.count <= Limits.serviceUpdateBytes, "a service bounds its updates")
        updates.append(message)
    }
}

extension AccountService {
    /// A service without stored records.
    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {}

    static var ignoresUnreadable: Bool { false }

    /// A service that has nothing of single devices.
    mutating func deviceIsRemoved(
        _ device: DeviceID, from account: AccountIndex, id: AccountID, into changes: inout [StorageChange]
    ) {}

    /// Decodes a request, handles it unless the caller's API key does not permit it, and encodes the reply.
    mutating func answer(
        _ content: [UInt8], in context: ServiceContext, into output: inout ServiceOutput
    ) -> ClientReply.Body {
        do throws(WireError) {
            let request = try Request(wireBytes: content)
            if let scope = context.caller.scope, let refusal = scope.refusal(of: request.traits) {
                return .refusal(refusal)
            }
            return Self.body(of: handle(request, in: context, into: &output))
        } catch {
            return .refusal(.invalid(error.description))
        }
    }

    static var name: ServiceName { Request.service }

    static func body(of response: ServiceResponse<Request.Reply>) -> ClientReply.Body {
        switch response {
        case .reply(let reply): .service(ServiceMessage(reply, to: Request.self))
        case .refusal(let refusal): .refusal(refusal)
        }
    }

    static func isReadOnly(_ content: [UInt8]) -> Bool {
        (try? Request(wireBytes: content))?.traits.isReadOnly ?? true
    }
}

/// The caller of a service, and what the service reads of the engine while it handles the request.
struct ServiceContext {
    let caller: Sessions.Entry
    let directory: Directory
    let epoch: Epoch
    let now: Moment
    let startedAt: MonotonicTime
    let isStorageFull: Bool
    let isOnDutyOnly: Bool
    let policy: AdmissionPolicy
    let history: RequestHistory
    let isMember: (Email) -> Bool

    var account: AccountIndex { caller.account }
    var accountID: AccountID { caller.session.account }
    func share(in quota: Quota) -> Int { directory.share(of: account, in: quota) }

    /// The refusal of an unknown name: busy while nodes that have not reconnected may still announce it, then
    /// not found.
    var refusalOfUnknown: Refusal {
        let isSettling = directory.isSettling(account, startedAt: startedAt, at: now.monotonic)
        return isSettling ? .busy(retryAfter: .milliseconds(500)) : .notFound
    }

    func refusal(ofUnnamed id: DeviceID) -> Refusal {
        directory.refusal(ofUnnamed: id, of: account, startedAt: startedAt, at: now.monotonic)
    }

    /// Why nothing can be stored; nil if it can.
    var storageRefusal: Refusal? { isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil }

    /// Why the caller cannot change texts or command queues; nil if the caller can.
    var changeRefusal: Refusal? { caller.session.viewerRefusal ?? storageRefusal }

    /// Why the caller cannot change what users say of these devices; nil if the caller can.
    func changeRefusal(of devices: [DeviceID]) -> Refusal? {
        if let refusal = changeRefusal { return refusal }
        return devices.first { directory.owner(of: $0) != account }.map { refusal(ofUnnamed: $0) }
    }
}

extension Directory {
    /// The refusal of a device that no node has named since the start. A node may still name it soon after
    /// the start, or while a node sends its table. Until then a device that was known before counts as a
    /// device of an unreachable node.
    func refusal(
        ofUnnamed id: DeviceID, of account: AccountIndex, startedAt: MonotonicTime, at now: MonotonicTime
    ) -> Refusal {
        let owner = owner(of: id)
        if owner ?? account == account, isSettling(account, startedAt: startedAt, at: now) {
            return .busy(retryAfter: Limits.beatInterval)
        }
        return owner == account ? .offline(lastSeen: nil) : .notFound
    }

    /// Whether devices that are not known yet may still be announced: the controller has just started, or a
    /// node is new.
    func isSettling(_ account: AccountIndex, startedAt: MonotonicTime, at now: MonotonicTime) -> Bool {
        startedAt.advanced(by: Limits.lease) > now
            || nodes.contains { $0.account == account && $0.isSettling }
    }

    func name(of id: DeviceID) -> String { device(id).map { devices[$0].name } ?? "" }

    func share(of account: AccountIndex, in quota: Quota) -> Int {
        quota.share(hasDevices: accountsWithDevices.contains(account), ofAccounts: accountsWithDevices.count)
    }
}

struct AdmissionPolicy: Sendable {
    let refusal: Refusal?

    static let open = AdmissionPolicy(refusal: nil)
}

struct RequestHistory {
    /// The time up to which outcomes may have been removed by age; nil before any may.
    let aged: WallTime?
    let retention: Duration
    /// Requests with IDs up to that time may be lost; nil if none is.
    let lostUpTo: WallTime?
}
