/// A line of `fleet status --json`.
struct StatusLine: Decodable {
    struct Process: Decodable {
        let name: String
        let pid: Int32?
        let state: String
    }

    let devices: Int?
    let online: Int?
    let stale: Int?
    let offline: Int?
    let epoch: UInt64?
    let processes: [Process]
}

/// A line of `fleet devices --json`.
struct DeviceLine: Decodable {
    let id: String
    let name: String
    let on: Bool
    let presence: String
    let reason: String?
    let version: Int
    let incarnation: String
}

/// A line of `fleet toggle --json`.
struct ToggleLine: Decodable, Equatable {
    struct State: Decodable, Equatable {
        let on: Bool
    }

    let requestID: String
    let device: String?
    let outcome: String
    let state: State?
    let version: Int?
    let attempts: Int?
    let latencyUs: Int?
    let user: String?
}

/// A line of `fleet cancel --json`.
struct CancelLine: Decodable {
    let requestID: String
    let result: String
    let outcome: String?
}

/// A line of `observer --json`.
struct ObserverLine: Decodable {
    let at: String
    let kind: String
    let device: String?
    let name: String?
    let on: Bool?
    let presence: String?
    let reason: String?
    let outcome: String?
    let user: String?
    let requestID: String?
    let node: String?
    let cause: String?
    let message: String?
}

/// A line of `fleet doctor --json`.
struct FindingLine: Decodable {
    let level: String
    let subject: String
    let text: String
    let advice: String?
}
