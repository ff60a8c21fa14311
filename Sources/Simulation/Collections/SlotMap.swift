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

/// An array whose elements are read and changed in place; an array returns a copy to its reader.
struct InPlaceArray<Element>: RandomAccessCollection {
    var elements: [Element] = []

    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    /// The element at an index, accessed in place.
    ///
    /// The compiler does not inline the accessor of a call that throws or branches. To call the accessor
    /// allocates its frame, so such calls use `elements`.
    subscript(index: Int) -> Element {
        _read { yield elements.span[index] }
        _modify { yield &elements[index] }
    }

    mutating func append(_ element: consuming Element) { elements.append(element) }

    mutating func remove(at index: Int) { elements.remove(at: index) }
}
