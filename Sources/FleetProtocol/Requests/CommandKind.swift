/// Which kind of command a request is, without what it carries.
public enum CommandKind: UInt8, CaseIterable, Hashable, Sendable {
    /// On becomes off and off becomes on.
    case toggle
    /// An absolute change of the device's state.
    case set
    /// An absolute change of what the device assumes, without a signal.
    case correct
    /// A change of what the device does by itself.
    case configure

    /// Its word in documents and JSON.
    public var name: String { "\(self)" }
}

extension Command.Kind {
    /// Which kind it is.
    public var kind: CommandKind {
        switch self {
        case .toggle: .toggle
        case .set: .set
        case .correct: .correct
        case .configure: .configure
        }
    }
}
