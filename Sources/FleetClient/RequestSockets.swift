import Bus

/// The sockets for requests, by the number of their connection: one to each cell to which the client went.
///
/// Former ones still receive replies for a while.
struct RequestSockets {
    private(set) var current: ClientSocket?
    /// The number of the current connection.
    private(set) var newest = 0
    private var former: [Int: ClientSocket] = [:]

    subscript(number: Int) -> ClientSocket? { number == newest ? current : former[number] }

    /// Makes a socket the current one; returns its number.
    mutating func add(_ socket: ClientSocket) -> Int {
        former[newest] = current
        newest += 1
        current = socket
        return newest
    }

    mutating func closeFormer(_ number: Int) { former.removeValue(forKey: number)?.close() }

    /// Closes all.
    mutating func close() {
        for number in former.keys { closeFormer(number) }
        current?.close()
        current = nil
    }
}
