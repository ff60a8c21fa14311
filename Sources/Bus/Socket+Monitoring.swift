extension Socket {
    /// Makes a monitor of the socket's connections; before it binds or connects, or events are missed.
    ///
    /// A socket has one monitor at a time: a second one ends the first's events.
    ///
    /// - Throws: `socketClosed`, `tooManySockets` or `contextTerminated`.
    public func monitor(_ events: ConnectionEventMask = .all) throws(BusError) -> Monitor {
        try Monitor(self, events: events)
    }
}
