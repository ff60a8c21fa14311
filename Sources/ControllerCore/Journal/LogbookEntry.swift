public import FleetProtocol

/// What the controller must not forget of logbooks.
///
/// As a journal's entry, it is an effect that stands before every effect that depends on it.
public enum LogbookEntry: Sendable, Equatable {
    /// A post was written; it has no comments yet.
    case posted(AccountID, KeptPost)
    /// A comment was written.
    case commented(AccountID, KeptComment)
    /// A post was edited; the post with the new text.
    case edited(AccountID, Post)
    /// Posts are gone, and their comments with them.
    case forgotten(AccountID, [PostNumber])
    /// What has been given out so far.
    case marked(AccountID, LogbookMarks)
}
