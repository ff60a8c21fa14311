extension ClientRequest.Body {
    /// Whether it changes nothing: it is of no use to a client that cannot have the answer.
    public var onlyAsks: Bool {
        switch self {
        case .outcome, .snapshot, .status, .faults, .history, .users, .keys, .who, .counters, .posts, .post,
            .comments,
            .authors, .streamTicket:
            true
        case .sites(let request): request.onlyAsks
        case .sequences(let request): request.onlyAsks
        case .roster(.read): true
        case .login, .logout, .command, .cancel, .inject, .heal, .scenario, .retire, .addUser, .removeUser,
            .changePassword, .changeRole, .addKey, .revokeKey, .addPost, .addComment, .editPost, .removePost,
            .wayIn, .roster:
            false
        }
    }
}

extension SiteRequest {
    fileprivate var onlyAsks: Bool {
        switch self {
        case .list, .site, .devices, .assignments: true
        case .add, .change, .remove, .assign: false
        }
    }
}

extension SequenceRequest {
    fileprivate var onlyAsks: Bool {
        switch self {
        case .report, .list: true
        case .start, .steer: false
        }
    }
}
