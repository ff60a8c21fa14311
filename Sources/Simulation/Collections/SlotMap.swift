/// Elements in numbered slots, which are reused.
struct SlotMap<Element> {
    private var elements: [Element?] = []
    private var free: [Int] = []

    /// Inserts an element and returns its slot.
    mutating func insert(_ element: consuming Element) -> Int {
        guard let slot = free.popLast() else {
            elements.append(element)
            return elements.count - 1
        }
        elements[slot] = element
        return slot
    }

    /// Removes and returns the element of a slot.
    ///
    /// - Precondition: The slot has an element.
    mutating func remove(at slot: Int) -> Element {
        guard let element = elements[slot].take() else { preconditionFailure("slot \(slot) is empty") }
        free.append(slot)
        return element
    }
}
