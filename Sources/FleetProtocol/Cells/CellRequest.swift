extension Limits {
    /// Cells of one installation.
    public static let cells = 64
    /// Bytes of a cell's name.
    public static let cellNameBytes = 16
    /// Changes of a directory in one page.
    public static let directoryPage = 1_000
    /// Accounts in one page of a cell's list.
    public static let accountPage = 500
    /// Bytes of a move's content in one message.
    public static let moveContentBytes = 60 * 1024
    /// The time between two pulls of another cell's directory.
    public static let directoryInterval: Duration = .seconds(1)
}

extension CellRequest: ServiceRequest {
    /// The reply to a ``CellRequest``.
    public typealias Reply = CellReply

    /// The service `cells`.
    public static let service = ServiceName(constant: "cells")

    /// Requests that create or move accounts change something.
    public var traits: RequestTraits {
        switch self {
        case .create: RequestTraits(retry: .never, keyScope: nil)
        case .move, .offer, .content, .commit: RequestTraits(retry: .onReconnect, keyScope: nil)
        case .pull, .status, .accounts:
            RequestTraits(retry: .onReconnect, keyScope: nil, isReadOnly: true)
        }
    }
}
