public import FleetProtocol

extension ChangeCause {
    /// For people, behind what became of it: `by hand remote`.
    public var words: String {
        switch self {
        case .request: "by request"
        case .correction: "by correction"
        case .handRemote: "by hand remote"
        case .app: "by app"
        case .climateReact: "by Climate React"
        case .timer: "by timer"
        case .schedule: "by schedule"
        }
    }
}

extension DeviceState {
    /// The word for what made it so in JSON; nil at the first version of a life, which nothing has changed.
    ///
    /// - Parameter cause: What the device said of its last change.
    public func causeWord(_ cause: ChangeCause) -> String? { version == Version(1) ? nil : cause.name }
}
