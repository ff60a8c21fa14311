/// An array whose elements are read and changed in place; an array returns a copy to its reader.
struct InPlaceArray<Element>: RandomAccessCollection {
    private var elements: [Element] = []

    var startIndex: Int { 0 }
    var endIndex: Int { elements.count }

    subscript(index: Int) -> Element {
        _read { yield elements.span[index] }
        _modify { yield &elements[index] }
    }

    mutating func append(_ element: consuming Element) {
        elements.append(element)
    }

    mutating func remove(at index: Int) {
        elements.remove(at: index)
    }
}
