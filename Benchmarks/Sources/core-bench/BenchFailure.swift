/// What keeps a benchmark from measuring anything.
enum BenchFailure: Error {
    /// Something did not come in time, or could not be sent.
    case noAnswer
    /// A value of the benchmark's own is not allowed.
    case setUp
    /// The fleet's own words.
    case fleet(String)
    /// A toggle that did not end as `applied`, in words.
    case toggle(String)
    /// What a peer's server or driver said.
    case peer(String)
    /// An error number of libzmq's, from C.
    case bareLibZMQ(Int32)
}
