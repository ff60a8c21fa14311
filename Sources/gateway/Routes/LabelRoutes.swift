import FleetClient
import FleetProtocol
import HTTPTypes
import Hummingbird
import UserText

/// The labels of the account's devices, as the page and programs read and set them.
struct LabelRoutes: Sendable {
    private static let absence = "There is no such device."

    private struct Form: Decodable {
        let labels: [String]
    }

    let access: any ServiceAccess

    func add(to router: some RouterMethods<GatewayContext>) {
        router.get("labels", use: list)
        router.put("labels/:device", use: set)
    }

    /// Answers with the devices that have labels.
    @Sendable private func list(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.caller(request)
        return try await ControllerResponse.json(absence: Self.absence) { () async throws(FleetError) in
            let devices = try await caller.client.labelledDevices(as: caller.credentials)
            return ["devices": devices.map(\.json)]
        }
    }

    /// Replaces the labels of a device by `{"labels": ["kitchen", …]}`.
    @Sendable private func set(_ request: Request, _ context: GatewayContext) async throws -> Response {
        let caller = try await access.author(request)
        guard let device = context.parameters.get("device").flatMap({ DeviceID($0) }) else {
            throw HTTPError(.notFound, message: Self.absence)
        }
        guard let form = try await request.form(Form.self),
            case let labels = form.labels.compactMap({ Label($0) }), labels.count == form.labels.count,
            labels.count <= Limits.deviceLabels
        else {
            throw HTTPError(
                .badRequest,
                message:
                    "labels: write {\"labels\": […]} with at most \(Limits.deviceLabels) labels, each 1 to "
                    + "\(Limits.labelBytes) of a-z, 0-9, '.', '_' and '-'")
        }
        return try await ControllerResponse.json(absence: Self.absence) { () async throws(FleetError) in
            let stored = try await caller.client.setLabels(labels, of: [device], as: caller.credentials)
            return LabelledDevice(device: device, labels: stored).json
        }
    }
}
