import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import UserFiles
import UserText

struct QueueRoutes: ServiceRoutes {
    private static let listedQueues = 20
    static let absence = "This command queue or device doesn’t exist."

    private struct StartForm: Decodable {
        /// The ID of the queue; the page creates it before its first attempt.
        let requestId: String
        let device: String
    }

    func add(to routes: ServiceRouter) {
        add(to: routes, "queues")
        // Programs may use the path of earlier versions, which the next version removes.
        add(to: routes, "sequences")
    }

    private func add(to routes: ServiceRouter, _ path: String) {
        let one: RouterPath = "\(path)/:queue"
        // The newest queues, without their commands; `sequences` is the key of earlier versions.
        routes.on(.get, "\(path)") { call in
            let list = try await call.services.commandQueueList(limit: Self.listedQueues)
            let queues = list.queues.map(\.json)
            return ["queues": queues, "sequences": queues]
        }
        // A queue and its commands.
        routes.on(.get, one) { call in try await call.services.commandQueue(try Self.id(in: call)).json }
        // Starts the demo queue for a device: the commands 1 to 10, which take 1 to 10 seconds.
        routes.on(.post, "\(path)") { call in
            guard
                let form = try await call.request.form(StartForm.self),
                let id = FleetProtocol.RequestID(form.requestId), id.isVersion7,
                let device = DeviceID(form.device)
            else {
                throw HTTPError(
                    .badRequest,
                    message:
                        "command queue not started: expected a requestId (UUID of version 7) and a device ID")
            }
            return try await call.services.startCommandQueue(id, .demo(on: device)).json
        }
        // Starts a queue from a client's text, under the client's ID; its devices are given by ID.
        routes.on(.put, one) { call in
            let id = try Self.id(in: call)
            guard id.isVersion7 else {
                throw HTTPError(
                    .badRequest,
                    message: "unknown command queue ID in the path: expected a UUID of version 7")
            }
            let plan = try Self.plan(try await call.request.bodyBytes())
            return try await call.services.startCommandQueue(id, plan).json
        }
        routes.on(.post, "\(path)/:queue/:steering") { call in
            let id = try Self.id(in: call)
            let steering = try call.parameter(
                "steering", or: "unknown action in the path: expected pause, resume, stop or cancel"
            ) { word in QueueSteering.allCases.first { "\($0)" == word } }
            return try await call.services.steerCommandQueue(id, steering).json
        }
    }

    private static func id(in call: ServiceCall) throws -> FleetProtocol.RequestID {
        try call.parameter("queue") { FleetProtocol.RequestID($0) }
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
}
