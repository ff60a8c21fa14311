/// A value that is kept on disk as a fixed order of fields.
///
/// Writing what was read gives the same bytes again. A form that was released never changes: a new one gets
/// another number in the file that it is part of.
public protocol Recordable: Sendable {
    /// Appends the fields.
    func write(to writer: inout RecordWriter)

    /// Takes the fields in the same order.
    ///
    /// - Throws: What is not as it was written: the end came too early, or a field has a value that it cannot
    ///   have.
    init(from reader: inout RecordReader) throws(RecordError)
}
