/// What keeps a benchmark from measuring anything.
enum BenchFailure: Error {
    /// Something did not come in time, or could not be sent.
    case noAnswer
    /// A value of the benchmark's own is not allowed.
    case setUp
    /// The fleet's own words.
    case fleet(String)
    /// An error number of libzmq's, from C.
    case bareLibZMQ(Int32)
}
