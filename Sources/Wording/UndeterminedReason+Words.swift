public import FleetProtocol

extension UndeterminedReason {
    /// Why nobody can say whether a request was carried out, in words.
    public var words: String {
        switch self {
        case .deviceReset: "the device lost its memory before it could say"
        case .deviceGone: "the device stayed away for too long to be asked"
        case .superseded: "the controller's journal went back, and does not say whether it was carried out"
        }
    }
}
