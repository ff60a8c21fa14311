import Testing

@testable import ControllerCore

@Suite("PagedArray")
struct PagedArrayTests {
    @Test(
        "values of a paged array stay in order and can be changed in place",
        arguments: [0, 1, 1_023, 1_024, 1_025, 5_000])
    func order(count: Int) {
        var array = PagedArray<Int>()
        for value in 0..<count { array.append(value) }
        #expect(array.count == count)
        #expect(array.elementsEqual(0..<count))
        for place in array.indices { array[place] *= 2 }
        #expect(Array(array) == (0..<count).map { 2 * $0 })
    }

    @Test("a copy of a paged array is independent")
    func copies() {
        var array = PagedArray<Int>()
        for value in 0..<2_000 { array.append(value) }
        let copy = array
        array[1_500] = -1
        array.append(7)
        #expect(copy.count == 2_000)
        #expect(copy[1_500] == 1_500)
        #expect(array[1_500] == -1)
    }
}
