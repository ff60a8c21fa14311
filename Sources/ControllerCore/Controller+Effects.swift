import FleetProtocol

extension Controller.Effect {
    /// Whether it has to wait while what is journalled before it cannot be kept.
    ///
    /// What only reads, refuses, or keeps a node's lease alive goes on.
    public var waitsForJournal: Bool {
        switch self {
        case .journal, .access, .directory, .publish: true
        case .reply(_, let reply):
            switch reply.body {
            case .snapshot, .status, .users, .refusal: false
            case .session, .signedOut, .outcome, .cancel, .injected, .userAdded, .userRemoved,
                .passwordChanged:
                true
            }
        case .send(_, let message):
            switch message.body {
            case .command, .abort: true
            case .pong, .pull, .fault, .taken: false
            }
        case .checkPassword, .hashPassword, .halt: false
        }
    }
}
