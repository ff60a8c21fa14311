/// What a machine is told of the time at each step: both clocks, read together.
public struct Moment: Hashable, Sendable {
    /// For durations, deadlines and leases.
    public let monotonic: MonotonicTime
    /// For what people read and what outlives a process.
    public let wall: WallTime

    /// Both clocks as they were read.
    @inlinable
    public init(monotonic: MonotonicTime, wall: WallTime) { (self.monotonic, self.wall) = (monotonic, wall) }

    /// Both clocks a duration later.
    @inlinable
    public func advanced(by duration: Duration) -> Moment {
        Moment(monotonic: monotonic.advanced(by: duration), wall: wall.advanced(by: duration))
    }
}
