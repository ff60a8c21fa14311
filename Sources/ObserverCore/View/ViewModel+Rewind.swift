extension ViewModel {
    /// Lets go of what it has made of a replica, and of what was told of it: another follows, perhaps of an
    /// earlier time.
    public mutating func rewind() {
        log = MessageLog()
        reading = LogReading()
        frozen = nil
        hint = nil
        order = TableOrder()
        histories = DeviceHistories()
        rate = UpdateRate()
    }
}
