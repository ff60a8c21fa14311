extension ViewModel {
    /// Lets go of what it has made of a replica: another follows, perhaps of an earlier time.
    public mutating func rewind() {
        order = TableOrder()
        histories = DeviceHistories()
        rate = UpdateRate()
    }
}
