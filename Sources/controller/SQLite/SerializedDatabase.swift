import Synchronization

/// A connection to a database file for several threads, which use it one after another.
///
/// `@unchecked Sendable` is safe: the connection is private, and only ``withLock(_:)`` lends it, while it
/// holds the lock. Neither ``Database`` nor ``Statement`` is `Sendable`, so they cannot be the result of a
/// closure. A closure must not store them elsewhere.
final class SerializedDatabase: @unchecked Sendable {
    private let database: Database
    private let lock = Mutex(())

    /// Opens a file as ``Database/init(path:busyTimeout:)`` does.
    init(path: String, busyTimeout: Duration = .zero) throws(DatabaseError) {
        database = try Database(path: path, busyTimeout: busyTimeout)
    }

    /// Runs work with the connection, while other threads wait for it.
    ///
    /// Their wait is as long as the work takes. The work must not call this method of the same database.
    func withLock<Result: Sendable, Failure: Error>(
        _ body: (Database) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try lock.withLock { (_) throws(Failure) in try body(database) }
    }
}
