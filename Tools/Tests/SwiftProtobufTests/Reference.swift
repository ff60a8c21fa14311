import ConformanceSupport
import FleetProtocol
import SwiftProtobuf

/// A kind of message that swift-protobuf reads and writes too.
protocol Referenced: WireMessage, Equatable {
    /// The generated protobuf type of the message.
    associatedtype Reference: SwiftProtobuf.Message
}

extension Referenced {
    /// The name of the message in `proto/`, such as `ClientRequest`.
    static var kind: String { Reference.protoMessageName.split(separator: ".").last.map(String.init) ?? "" }
}

extension ClientRequest: Referenced { typealias Reference = Sensibus_V1_ClientRequest }
extension ClientReply: Referenced { typealias Reference = Sensibus_V1_ClientReply }
extension NodeMessage: Referenced { typealias Reference = Sensibus_V1_NodeMessage }
extension ControllerMessage: Referenced { typealias Reference = Sensibus_V1_ControllerMessage }
extension Telemetry: Referenced { typealias Reference = Sensibus_V1_Telemetry }
extension StreamUpdate: Referenced { typealias Reference = Sensibus_V1_StreamUpdate }
extension SupervisorRequest: Referenced { typealias Reference = Sensibus_V1_SupervisorRequest }
extension SupervisorReply: Referenced { typealias Reference = Sensibus_V1_SupervisorReply }
extension LogbookRequest: Referenced { typealias Reference = Sensibus_V1_LogbookRequest }
extension LogbookReply: Referenced { typealias Reference = Sensibus_V1_LogbookReply }
extension SiteRequest: Referenced { typealias Reference = Sensibus_V1_SiteRequest }
extension SiteReply: Referenced { typealias Reference = Sensibus_V1_SiteReply }
extension RosterRequest: Referenced { typealias Reference = Sensibus_V1_RosterRequest }
extension RosterReply: Referenced { typealias Reference = Sensibus_V1_RosterReply }
extension QueueRequest: Referenced { typealias Reference = Sensibus_V1_QueueRequest }
extension QueueReply: Referenced { typealias Reference = Sensibus_V1_QueueReply }
extension JoinRequest: Referenced { typealias Reference = Sensibus_V1_JoinRequest }
extension JoinReply: Referenced { typealias Reference = Sensibus_V1_JoinReply }
extension LabelRequest: Referenced { typealias Reference = Sensibus_V1_LabelRequest }
extension LabelReply: Referenced { typealias Reference = Sensibus_V1_LabelReply }
extension LabelUpdate: Referenced { typealias Reference = Sensibus_V1_LabelUpdate }
extension DeviceLabels: Referenced { typealias Reference = Sensibus_V1_DeviceLabels }
extension SiteRecord: Referenced { typealias Reference = Sensibus_V1_SiteRecord }
extension RosterRecord: Referenced { typealias Reference = Sensibus_V1_RosterRecord }
extension QueueRecord: Referenced { typealias Reference = Sensibus_V1_QueueRecord }
extension LogbookRecord: Referenced { typealias Reference = Sensibus_V1_LogbookRecord }
extension LoadTestRequest: Referenced { typealias Reference = Sensibus_V1_LoadTestRequest }
extension LoadTestReply: Referenced { typealias Reference = Sensibus_V1_LoadTestReply }
extension CellRequest: Referenced { typealias Reference = Sensibus_V1_CellRequest }
extension CellReply: Referenced { typealias Reference = Sensibus_V1_CellReply }

extension ClientRequest: Batched { typealias BatchReference = Sensibus_V1_ClientRequestBatch }
extension ClientReply: Batched { typealias BatchReference = Sensibus_V1_ClientReplyBatch }
extension NodeMessage: Batched { typealias BatchReference = Sensibus_V1_NodeMessageBatch }
extension ControllerMessage: Batched { typealias BatchReference = Sensibus_V1_ControllerMessageBatch }

/// A kind of message that has batches.
protocol Batched: Referenced {
    /// The generated protobuf type of a batch.
    associatedtype BatchReference: SwiftProtobuf.Message
}

extension Batch: Referenced where Element: Batched {
    typealias Reference = Element.BatchReference
}
