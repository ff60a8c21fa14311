import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import UserFiles
import UserText

struct QueueRoutes: Sendable {
    private static let listedQueues = 20
    private static let absence = "This command queue or device doesn’t exist."

    private struct StartForm: Decodable {
        /// The ID of the queue; the page creates it before its first attempt.
        let requestId: String
        let device: String
    }

    let access: any ServiceAccess

    func add(to router: some RouterMethods<GatewayContext>) {
        add(toGroup: router.group("queues"))
        // Programs may use the path of earlier versions, which the next version removes.
        add(toGroup: router.group("sequences"))
    }

    private func add(toGroup queues: RouterGroup<GatewayContext>) {
        queues.get(use: list)
        queues.get(":queue", use: show)
        queues.post(use: start)
        queues.put(":queue", use: startWritten)
        queues.post(":queue/:steering", use: steer)
    }

    /// Answers with the newest queues, without their commands; `sequences` is the key of earlier versions.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        return try await answer { () async throws(FleetError) in
            let list = try await caller.client.commandQueueList(
                limit: Self.listedQueues, as: caller.credentials)
            let queues = list.queues.map(\.json)
            return ["queues": queues, "sequences": queues]
        }
    }

    @Sendable private func show(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        let id = try Self.commandQueue(in: context)
        return try await answer { () async throws(FleetError) in
            try await caller.client.commandQueue(id, as: caller.credentials).json
        }
    }

    /// Starts the demo queue for a device: the commands 1 to 10, which take 1 to 10 seconds.
    @Sendable private func start(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.author(request)
        guard
            let form = try await request.form(StartForm.self),
            let id = FleetProtocol.RequestID(form.requestId), id.isVersion7,
            let device = DeviceID(form.device)
        else {
            throw HTTPError(
                .badRequest,
                message: "command queue not started: expected a requestId (UUID of version 7) and a device ID"
            )
        }
        return try await answer { () async throws(FleetError) in
            try await caller.client.startCommandQueue(id, .demo(on: device), as: caller.credentials).json
        }
    }

    /// Starts a queue from a client's text, under the client's ID; its devices are given by ID.
    @Sendable private func startWritten(
        _ request: Request, _ context: GatewayContext
    ) async throws -> Response {
        let caller = try await access.author(request)
        let id = try Self.commandQueue(in: context)
        guard id.isVersion7 else {
            throw HTTPError(
                .badRequest, message: "unknown command queue ID in the path: expected a UUID of version 7")
        }
        let plan = try Self.plan(try await request.bodyBytes())
        return try await answer { () async throws(FleetError) in
            try await caller.client.startCommandQueue(id, plan, as: caller.credentials).json
        }
    }

    /// Parses a queue in the format of a queue file; throws status 400 with all errors.
    private static func plan(_ body: [UInt8]) throws -> QueuePlan {
        do {
            let written = try QueueFile(body, file: "queue")
            let commands = try written.commands.map { command in
                guard let device = DeviceID(command.device) else {
                    let device = SafeText.of(command.device)
                    throw HTTPError(
                        .badRequest, message: "command \(command.label): \(device) is not a device ID")
                }
                return QueueCommand(
                    label: command.label, device: device, kind: command.kind, takes: command.takes)
            }
            return try QueuePlan(commands: commands, onFailure: written.onFailure)
        } catch let error as InvalidFile {
            throw HTTPError(.badRequest, message: error.description)
        } catch let error as QueuePlanError {
            throw HTTPError(.badRequest, message: error.description)
        }
    }

    @Sendable private func steer(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.author(request)
        let id = try Self.commandQueue(in: context)
        let word = context.parameters.get("steering")
        guard let steering = QueueSteering.allCases.first(where: { "\($0)" == word }) else {
            throw HTTPError(
                .notFound, message: "unknown action in the path: expected pause, resume, stop or cancel")
        }
        return try await answer { () async throws(FleetError) in
            try await caller.client.steerCommandQueue(id, steering, as: caller.credentials).json
        }
    }

    private static func commandQueue(in context: GatewayContext) throws -> FleetProtocol.RequestID {
        guard let id = context.parameters.get("queue").flatMap({ FleetProtocol.RequestID($0) }) else {
            throw HTTPError(.notFound, message: absence)
        }
        return id
    }

    private func answer(_ work: () async throws(FleetError) -> JSONObject) async throws -> Response {
        try await ControllerResponse.json(absence: Self.absence, work)
    }
}
