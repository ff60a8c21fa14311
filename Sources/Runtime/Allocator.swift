import CMemory

/// Where a process gets the memory from that it takes and gives back.
public enum Allocator {
    /// Blocks of so many bytes and more are the system's again as soon as nobody needs them.
    private static let largeBytes: Int32 = 256 * 1_024

    /// Has a process of several threads take no more memory than it needs; before other threads begin.
    ///
    /// The C library has a place to take memory from (an arena, malloc(3)) for each thread, up to eight for
    /// each processor, so that they never wait for each other. Where one thread makes what another lets go,
    /// each place grows to what was under way there at the worst moment, and none of it is of use to the
    /// others. Here they share one. And what is large is not kept for more that is as large (mallopt(3)).
    ///
    /// - Returns: Whether it is so from now on.
    @discardableResult
    public static func beFrugal() -> Bool {
        mallopt(M_ARENA_MAX, 1) == 1 && mallopt(M_MMAP_THRESHOLD, largeBytes) == 1
    }

    /// Gives memory back to the system that was freed and is kept for later (malloc_trim(3)).
    ///
    /// It takes some milliseconds for each 100 MB, in which other threads may wait for memory.
    public static func giveBack() {
        malloc_trim(0)
    }
}
