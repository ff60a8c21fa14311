public import FleetProtocol

/// The cells of an installation, as a controller starts with them.
public struct CellConfiguration: Sendable {
    /// The cell of this controller.
    public let own: CellName
    /// The names of all other cells.
    public let others: [CellName]
    /// The digest of the token that follows from the secret of all cells.
    public let digest: TokenDigest
    /// The keyed hash of the directories; its key follows from the secret too.
    public let hash: @Sendable ([UInt8]) -> CellHash
    /// The changes in a page of the directory.
    public let pageChanges: Int
    /// What earlier runs have stored of moves.
    public var moves = StoredMoves()
    /// Whether requests are stored; if not, no account can be moved here, because a repeated request would be
    /// carried out again.
    public var storesRequests = true

    /// A configuration with the given values.
    public init(
        own: CellName, others: [CellName], digest: TokenDigest,
        hash: @escaping @Sendable ([UInt8]) -> CellHash, pageChanges: Int = Limits.directoryPage
    ) {
        (self.own, self.others, self.digest, self.hash) = (own, others, digest, hash)
        self.pageChanges = pageChanges
    }
}

/// A request to another cell.
public struct RequestToCell: Sendable {
    /// The other cell.
    public let cell: CellName
    /// The number that the reply repeats.
    public let correlation: UInt64
    /// The request.
    public let request: CellRequest

    init(_ cell: CellName, correlation: UInt64, _ request: CellRequest) {
        (self.cell, self.correlation, self.request) = (cell, correlation, request)
    }
}
