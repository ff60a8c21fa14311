extension Loop {
    /// Calls a handler in each turn in which a socket has a message.
    ///
    /// The handler should drain the socket up to a limit of its own; what it leaves is its in the next
    /// turn. The loop keeps the socket and the handler until ``unregister(_:)-(Socket)``, until the socket
    /// is closed, or until the loop goes.
    ///
    /// - Precondition: On the loop's thread; the socket is open and not registered.
    public func register(_ socket: Socket, onReadable: @escaping () -> Void) {
        register(socket, awaiting: .readable, onReady: onReadable)
    }

    /// Calls a handler in each turn in which a socket has what is awaited, as ``register(_:onReadable:)``
    /// does.
    func register(_ socket: Socket, awaiting awaited: Readiness, onReady: @escaping () -> Void) {
        claimThread()
        registrations.add(Registration(.socket(socket), awaiting: awaited, onReady: onReady))
    }

    /// Changes what a registered socket's handler is called for.
    ///
    /// - Precondition: On the loop's thread.
    func setAwaited(_ awaited: Readiness, of socket: Socket) {
        claimThread()
        registrations.setAwaited(awaited, at: .socket(socket))
    }

    /// Calls a handler in each turn in which a file descriptor can be read, has an error or was hung up.
    ///
    /// The descriptor stays the caller's, who must unregister it before closing it.
    ///
    /// - Precondition: On the loop's thread; the descriptor is open and not registered.
    public func register(fileDescriptor: Int32, onReadable: @escaping () -> Void) {
        claimThread()
        let source = Registration.Source.fileDescriptor(fileDescriptor)
        registrations.add(Registration(source, awaiting: .readable, onReady: onReadable))
    }

    /// Stops calling a socket's handler at once, and lets go of both in the next turn.
    ///
    /// Does nothing if the socket is not registered.
    ///
    /// - Precondition: On the loop's thread.
    public func unregister(_ socket: Socket) {
        claimThread()
        registrations.remove(.socket(socket))
    }

    /// Stops calling a descriptor's handler at once, and lets go of it in the next turn.
    ///
    /// Does nothing if the descriptor is not registered.
    ///
    /// - Precondition: On the loop's thread.
    public func unregister(fileDescriptor: Int32) {
        claimThread()
        registrations.remove(.fileDescriptor(fileDescriptor))
    }

    /// Calls a handler at the end of each turn with the time, to do what is due.
    ///
    /// It returns when it wants to be called at the latest, or nil when only a message matters. It is
    /// called in the first turn, and in every turn after, whatever the turn was for. The loop keeps it.
    ///
    /// - Precondition: On the loop's thread.
    public func onTurn(_ handler: @escaping (ContinuousClock.Instant) -> ContinuousClock.Instant?) {
        claimThread()
        turnHandlers.append(handler)
        wake(notAfter: .now)
    }
}
