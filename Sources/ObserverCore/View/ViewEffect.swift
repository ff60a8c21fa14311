public import FleetProtocol

/// What a person wants that a screen cannot do by itself.
///
/// Whoever drives a ``ViewModel`` carries each out, and tells it what became of it with a ``ViewResult``.
public enum ViewEffect: Hashable, Sendable {
    /// Have a device switched, and tell how it ended.
    case perform(Command)
    /// Take a request back, and tell what the controller said.
    case cancel(RequestID, of: DeviceID)
    /// Write a file, and tell whether that went well.
    case export(TableExport)
    /// End.
    case quit
}
