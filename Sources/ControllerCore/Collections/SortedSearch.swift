extension RandomAccessCollection {
    /// Returns the place of the first element that does not precede the sought one; `endIndex` if all do.
    ///
    /// - Parameter precedes: Whether an element precedes the sought one; true for a prefix of the collection
    ///   and false for the rest.
    /// - Complexity: O(log *n*).
    func sortedIndex(after precedes: (Element) -> Bool) -> Index {
        var (first, count) = (startIndex, count)
        while count > 0 {
            let half = count / 2
            let middle = index(first, offsetBy: half)
            if precedes(self[middle]) {
                (first, count) = (index(after: middle), count - half - 1)
            } else {
                count = half
            }
        }
        return first
    }
}
