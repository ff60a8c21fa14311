import FleetProtocol
public import FuzzSupport

/// The decoders of the sockets' messages.
public enum FuzzWire {
    private static let services: [any ServiceRequest.Type] = [
        QueueRequest.self, RosterRequest.self, SiteRequest.self, LogbookRequest.self, LabelRequest.self,
    ]

    /// Its targets.
    public static let targets = [
        frames("client-request", of: ClientRequest.self) { request in
            guard case .service(let message) = request.body else { return }
            for type in services { try service(message, type) }
        },
        frames("client-reply", of: ClientReply.self) { reply in
            guard case .service(let message) = reply.body else { return }
            for type in services { try serviceReply(message, type) }
        },
        frames("node-message", of: NodeMessage.self),
        frames("controller-message", of: ControllerMessage.self),
        message("telemetry", Telemetry.self),
        message("stream-update", StreamUpdate.self) { update in
            guard case .service(let message) = update.body, message.service == LabelRequest.service else {
                return
            }
            _ = try (try? LabelUpdate(wireBytes: message.content)).map(FuzzTarget.expectSameAfterEncoding)
        },
        message("supervisor-request", SupervisorRequest.self),
    ]

    /// A target for frames with one message or a batch.
    private static func frames<Message: WireMessage & Equatable>(
        _ name: String, of type: Message.Type,
        then check: @escaping @Sendable (Message) throws -> Void = { _ in }
    ) -> FuzzTarget {
        FuzzTarget(name, isProtobuf: true) { input, heap in
            let messages = try heap.decode(input) { Self.messages(in: $0, type) } ?? []
            for message in messages {
                try FuzzTarget.expectSameAfterEncoding(message)
                try check(message)
            }
            guard messages.count > 1 else { return }
            var writer = FrameWriter()
            var frames = messages.compactMap { writer.append($0.wireBytes) }
            frames += [writer.finish()].compactMap(\.self)
            guard frames.flatMap({ Self.messages(in: $0, type) }) == messages else {
                throw FuzzTarget.Violation("a batch of \(messages.count) messages differs after encoding")
            }
        }
    }

    private static func messages<Message: WireMessage>(in bytes: [UInt8], _: Message.Type) -> [Message] {
        var messages: [Message] = []
        ReceivedFrame(bytes).forEach(
            { (place) throws(WireError) in messages.append(try Message(wireBytes: bytes, in: place)) },
            refuse: { _ in })
        return messages
    }

    /// A target for a message without batches.
    private static func message<Message: WireMessage & Equatable>(
        _ name: String, _: Message.Type, then check: @escaping @Sendable (Message) throws -> Void = { _ in }
    ) -> FuzzTarget {
        FuzzTarget(name, isProtobuf: true) { input, heap in
            guard let message = try heap.decode(input, { try Message(wireBytes: $0) }) else { return }
            try FuzzTarget.expectSameAfterEncoding(message)
            try check(message)
        }
    }

    private static func service<Request: ServiceRequest>(_ message: ServiceMessage, _: Request.Type) throws {
        guard let request = try? message.request(as: Request.self) else { return }
        try FuzzTarget.expectSameAfterEncoding(request)
    }

    private static func serviceReply<Request: ServiceRequest>(
        _ message: ServiceMessage, _: Request.Type
    ) throws {
        guard let reply = try? message.reply(to: Request.self) else { return }
        try FuzzTarget.expectSameAfterEncoding(reply)
    }
}
