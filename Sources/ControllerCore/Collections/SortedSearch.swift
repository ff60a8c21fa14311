extension RandomAccessCollection {
    /// Returns the place of the first element that does not precede the sought one, by a binary search. All
    /// elements that precede it are before all others.
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
