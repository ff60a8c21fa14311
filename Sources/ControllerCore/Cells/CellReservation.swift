import FleetProtocol

/// A user who is about to be added in another cell than their home.
///
/// The cell first adds the user to its directory. It then waits until each other cell has pulled that change,
/// and pulls the other's directory again. From then on the user is unique: a cell that has pulled the change
/// refuses sign-ups and reservations of the user, and an earlier one is in the page that the cell sent later.
/// Two cells that reserve a user at the same time detect each other, and both give up.
struct CellReservation: Sendable {
    /// The longest time that a reservation waits for the other cells.
    static let longest: Duration = .seconds(4)

    /// What the reservation waits for from another cell.
    private enum Stage {
        case pull
        /// That its directory is complete as of a pull after that one.
        case page(after: UInt64)
        /// Nothing more.
        case done
    }

    let email: Email
    /// The hash of the user, and that of a new account.
    let hashes: [CellHash]
    /// The position of the directory after their addition.
    let position: CellDirectory.Position
    let deadline: MonotonicTime
    private var stages: [CellName: Stage] = [:]

    init(
        of email: Email, hashes: [CellHash], at position: CellDirectory.Position,
        until deadline: MonotonicTime
    ) {
        (self.email, self.hashes) = (email, hashes)
        (self.position, self.deadline) = (position, deadline)
    }

    /// Waits for these cells; for those of before, from the stage that they have reached.
    mutating func begin(with cells: [CellName]) {
        for cell in cells where stages[cell] == nil { stages[cell] = .pull }
        stages = stages.filter { cells.contains($0.key) }
    }

    /// Records that a cell has the change; returns whether this was not known.
    ///
    /// - Parameter correlation: The number of the last pull that was sent.
    mutating func isKnown(by cell: CellName, pullingAfter correlation: UInt64) -> Bool {
        guard case .pull? = stages[cell] else { return false }
        stages[cell] = .page(after: correlation)
        return true
    }

    /// Records that the directory of a cell is complete as of a pull.
    mutating func knowsAll(of cell: CellName, asOf correlation: UInt64) {
        guard case .page(let earlier)? = stages[cell], correlation > earlier else { return }
        stages[cell] = .done
    }

    /// Whether nothing is missing.
    var isGranted: Bool {
        stages.values.allSatisfy { if case .done = $0 { true } else { false } }
    }
}
