import FleetClient
import FleetProtocol
import HTTPTypes
import NIOCore
import Synchronization

/// A response whose body is one buffer.
struct WholeResponse: Sendable {
    let head: HTTPResponse
    let body: ByteBuffer
}

/// What the response to a read depends on: it is the same as long as none of this changes.
struct ReadBasis: Sendable {
    let token: CellToken
    /// Nil after the replica has ended, whose memory a kept response must not hold.
    weak let replica: AccountReplica?
    /// ``AccountReplica/changes`` before the response was made.
    fileprivate let changes: UInt64
    fileprivate let plan: Int
    /// The second that the API's clock shows: the seconds since a time in a response are at most one behind.
    fileprivate let second: Int64
}

/// The responses to reads of this second, so that what many clients read is made once. A response is sent
/// again if the request is the same with all its headers, nothing that it depends on has changed, and the
/// controller has confirmed the token after the request arrived.
final class KeptResponses: Sendable {
    struct Kept: Sendable {
        let basis: ReadBasis
        let response: WholeResponse
    }

    /// The maximum size of a kept body in bytes: the pods of some 1,500 devices with all keys.
    private static let bodyBytesAtMost = 8 << 20
    /// The number of responses, and the size of their bodies in bytes, from which the next one empties the
    /// store first.
    private static let responsesAtMost = 1_024
    private static let bytesAtMost = 32 << 20

    let access: Access
    let meter: RequestMeter
    private let cloud: Cloud
    private let store = Mutex<(responses: [HTTPRequest: Kept], bytes: Int)>(([:], 0))

    init(for access: Access, under cloud: Cloud, _ meter: RequestMeter) {
        (self.access, self.cloud, self.meter) = (access, cloud, meter)
    }

    /// Returns what a response depends on that is made from now on; nil under cloud faults.
    func basis(_ token: CellToken, _ replica: AccountReplica) -> ReadBasis? {
        let changes = replica.changes.load(ordering: .acquiring)
        return cloud.faultlessSecond.map {
            ReadBasis(token: token, replica: replica, changes: changes, plan: $0.plan, second: $0.second)
        }
    }

    func keep(_ kept: Kept, for request: HTTPRequest) {
        guard kept.response.body.readableBytes <= Self.bodyBytesAtMost else { return }
        store.withLock { store in
            if store.responses.count >= Self.responsesAtMost || store.bytes >= Self.bytesAtMost {
                store = ([:], 0)
            }
            let former = store.responses.updateValue(kept, forKey: request)
            store.bytes += kept.response.body.readableBytes - (former?.response.body.readableBytes ?? 0)
        }
    }

    /// Returns the response to a request, unless something that it depends on has changed.
    func response(to request: HTTPRequest) -> Kept? {
        guard request.method == .get, let kept = store.withLock({ $0.responses[request] }),
            isCurrent(kept.basis)
        else { return nil }
        return kept
    }

    /// Whether nothing that a response depends on has changed.
    func isCurrent(_ basis: ReadBasis) -> Bool {
        guard let replica = basis.replica, !replica.hasEnded, let now = cloud.faultlessSecond else {
            return false
        }
        return now == (basis.plan, basis.second)
            && basis.changes == replica.changes.load(ordering: .acquiring)
    }
}
