/// What a screen hears of the roster.
public enum RosterNews: Hashable, Sendable {
    /// As it was known at an earlier time, before anything was loaded.
    case kept(LoadedRoster)
    /// As it is.
    case loaded(LoadedRoster)
    /// It could not be loaded; why, in words.
    case failed(why: String)
}
