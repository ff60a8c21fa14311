import FleetProtocol

/// The set of a node's changes that have arrived, over both of its sockets and in any order.
struct ArrivalWindow: Sendable {
    /// The capacity for numbers beyond the first gap; later ones are dropped, and a pull recovers them.
    private static let capacity = 4_096

    /// The number up to which all changes have arrived.
    private(set) var contiguous: ChangeNumber
    /// The highest change number that the node has mentioned.
    private(set) var announced: ChangeNumber
    private var beyond: Set<UInt64> = []

    init(from number: ChangeNumber = .zero) {
        contiguous = number
        announced = number
    }

    /// Whether a change that the node has mentioned has not arrived.
    var hasGap: Bool { contiguous < announced }

    /// Records a change number that the node has mentioned.
    mutating func announce(_ number: ChangeNumber) { announced = max(announced, number) }

    /// Records the arrival of a change.
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

    /// Records that a pull has transferred all changes up to a number.
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
