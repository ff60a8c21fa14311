/// An error that prevents a measurement.
package enum BenchFailure: Error {
    /// A message did not arrive in time, or could not be sent.
    case noReply
    /// A value of the benchmark is invalid.
    case setUp
    /// An error message of the fleet.
    case fleet(String)
    /// A toggle that did not end as `applied`, as text.
    case toggle(String)
    /// An error message of a peer's server or driver.
    case peer(String)
    /// An error number of libzmq, from C.
    case bareLibZMQ(Int32)
}
