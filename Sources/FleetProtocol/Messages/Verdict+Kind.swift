extension Verdict {
    /// A verdict without what it says beyond itself.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case applied
        case unchanged
        case conflict
        case rejected
        case expired
        case aborted
        case staleIncarnation
        case staleEpoch
        case staleSequence
        case sequenceTaken

        /// Its word in documents and metrics.
        public var name: String { String(describing: self) }
    }

    /// What kind it is.
    public var kind: Kind {
        switch self {
        case .applied: .applied
        case .unchanged: .unchanged
        case .conflict: .conflict
        case .rejected: .rejected
        case .expired: .expired
        case .aborted: .aborted
        case .staleIncarnation: .staleIncarnation
        case .staleEpoch: .staleEpoch
        case .staleSequence: .staleSequence
        case .sequenceTaken: .sequenceTaken
        }
    }
}
