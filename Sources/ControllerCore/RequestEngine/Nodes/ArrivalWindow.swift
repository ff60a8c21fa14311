import FleetProtocol

/// Which of a node's changes have arrived, over both of its sockets, in whatever order.
struct ArrivalWindow: Sendable {
    /// Numbers remembered beyond the first gap; more than that and the gap is pulled anyway.
    private static let capacity = 4_096

    /// Everything up to here has arrived.
    private(set) var contiguous: ChangeNumber
    /// The newest number that the node has spoken of.
    private(set) var announced: ChangeNumber
    private var beyond: Set<UInt64> = []

    init(from number: ChangeNumber = .zero) {
        contiguous = number
        announced = number
    }

    /// Whether something that the node has spoken of has not arrived.
    var hasGap: Bool { contiguous < announced }

    /// The node says that it has got this far.
    mutating func announce(_ number: ChangeNumber) {
        announced = max(announced, number)
    }

    /// A change has arrived.
    mutating func arrive(_ number: ChangeNumber) {
        announce(number)
        guard number > contiguous else { return }
        guard number == contiguous.next else {
            if beyond.count < Self.capacity { beyond.insert(number.value) }
            return
        }
        contiguous = number
        closeUp()
    }

    /// Everything up to here has been pulled.
    mutating func pulled(upTo number: ChangeNumber) {
        guard number > contiguous else { return }
        contiguous = number
        announce(number)
        beyond = beyond.filter { $0 > number.value }
        closeUp()
    }

    private mutating func closeUp() {
        guard !beyond.isEmpty else { return }
        while beyond.remove(contiguous.value + 1) != nil { contiguous = contiguous.next }
    }
}
