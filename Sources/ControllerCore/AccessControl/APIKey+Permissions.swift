import FleetProtocol

extension APIKey.Scope {
    /// Why nothing is done that is asked with a key of this scope; nil where the scope includes it.
    ///
    /// A stolen key must not make itself outlast its revocation, so no key changes who has access to what.
    func refusal(of body: ClientRequest.Body) -> Refusal? {
        guard let needed = body.keyScope else {
            return .notAllowed("no key may do this: log in with a password")
        }
        guard includes(needed) else {
            return .notAllowed("the key's scope is \(name): this needs one of scope \(needed.name)")
        }
        return nil
    }
}

extension ClientRequest.Body {
    /// The scope that a key needs in order to ask this; nil where no key may.
    fileprivate var keyScope: APIKey.Scope? {
        switch self {
        case .outcome, .snapshot, .status, .faults, .who, .history, .counters, .posts, .post, .comments,
            .authors,
            .sites(.list), .sites(.site), .sites(.devices), .sites(.assignments), .sequences(.report),
            .sequences(.list), .roster(.read), .streamTicket:
            .read
        case .command, .cancel, .addPost, .addComment, .editPost, .removePost, .sequences(.start),
            .sequences(.steer):
            .switch
        case .login, .wayIn, .logout, .inject, .heal, .scenario, .retire, .users, .addUser, .removeUser,
            .changePassword, .changeRole, .keys, .addKey, .revokeKey, .sites(.add), .sites(.change),
            .sites(.remove),
            .sites(.assign), .roster(.change), .roster(.stage), .roster(.replace):
            nil
        }
    }
}
