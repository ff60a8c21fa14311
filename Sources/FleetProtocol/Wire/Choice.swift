/// What a `oneof` of messages holds.
struct Choice {
    /// The number of the field that it is.
    let number: Int
    /// What that field holds.
    var message: FieldReader
}
