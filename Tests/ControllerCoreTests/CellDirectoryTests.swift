import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Directories of cells between which an account is moved")
struct CellDirectoryTests {
    private static let account = CellHash(high: 1, low: 2)

    private static func page(
        of cell: CellName, inRun epoch: UInt64, has isHolder: Bool,
        after successors: [(CellName, UInt64)] = []
    ) -> CellDirectoryPage {
        CellDirectoryPage(
            cell: cell, cells: CellHash(high: 9, low: 9),
            generation: CellDirectory.firstGeneration(of: Epoch(epoch)), position: 0,
            total: isHolder ? 1 : 0,
            changes: isHolder ? [CellDirectoryChange(Self.account)] : [],
            successors: successors.map { CellDirectoryPage.Successor(cell: $0.0, epoch: Epoch($0.1)) })
    }

    @Test("an account that is moved there and back is always in one of the directories in use")
    func movedBack() throws {
        let (c1, c3) = (try #require(CellName("c1")), try #require(CellName("c3")))
        var others = [c1, c3].map { OtherDirectory(of: $0, planted: Planting(nil)) }
        func receive(_ place: Int, _ page: CellDirectoryPage) {
            #expect(others[place].receive(page, at: .zero) == .complete)
            others.useComplete()
        }
        receive(0, Self.page(of: c1, inRun: 1, has: false))
        receive(1, Self.page(of: c3, inRun: 1, has: true))
        #expect(others.map(\.isKnown) == [true, true])
        #expect(others.map { $0.has(Self.account) } == [false, true])
        // It was moved to c1 (run 2 of both), then back (run 3); the page of c1's run 2 never arrives.
        receive(0, Self.page(of: c1, inRun: 3, has: false, after: [(c3, 3)]))
        receive(1, Self.page(of: c3, inRun: 2, has: false, after: [(c1, 2)]))
        #expect(
            others.map { $0.has(Self.account) } == [false, true], "neither may be used without the other")
        receive(1, Self.page(of: c3, inRun: 3, has: true))
        #expect(others.map { $0.has(Self.account) } == [false, true])
        // Both are in use now, so the next move is seen at once.
        receive(0, Self.page(of: c1, inRun: 4, has: true))
        receive(1, Self.page(of: c3, inRun: 4, has: false, after: [(c1, 4)]))
        #expect(others.map { $0.has(Self.account) } == [true, false])
    }

    @Test("while a new generation is pulled, an entry of the last one counts, although that was not complete")
    func incomplete() throws {
        let c1 = try #require(CellName("c1"))
        let added = CellHash(high: 3, low: 4)
        var others = [OtherDirectory(of: c1, planted: Planting(nil))]
        func page(inRun epoch: UInt64, from position: UInt64, _ hashes: [CellHash]) -> CellDirectoryPage {
            CellDirectoryPage(
                cell: c1, cells: CellHash(high: 9, low: 9),
                generation: CellDirectory.firstGeneration(of: Epoch(epoch)), position: position, total: 3,
                changes: hashes.map { CellDirectoryChange($0) }, successors: [])
        }
        func receive(_ page: CellDirectoryPage) -> OtherDirectory.Reception {
            defer { others.useComplete() }
            return others[0].receive(page, at: .zero)
        }
        // The cell waits until this one has pulled the entry, and then adds the user.
        #expect(receive(page(inRun: 1, from: 0, [Self.account, added])) == .more)
        #expect(receive(page(inRun: 2, from: 0, [Self.account])) == .more)
        #expect(others[0].has(added))
        #expect(
            receive(page(inRun: 2, from: 1, [CellHash(high: 5, low: 6), CellHash(high: 7, low: 8)]))
                == .complete)
        #expect(!others[0].has(added), "the complete state does not have it")
    }

    @Test("directories that require each other are used together")
    func together() throws {
        let (c1, c3) = (try #require(CellName("c1")), try #require(CellName("c3")))
        var others = [c1, c3].map { OtherDirectory(of: $0, planted: Planting(nil)) }
        #expect(
            others[0].receive(Self.page(of: c1, inRun: 2, has: true, after: [(c3, 2)]), at: .zero)
                == .complete)
        others.useComplete()
        #expect(!others[0].isKnown)
        #expect(
            others[1].receive(Self.page(of: c3, inRun: 2, has: false, after: [(c1, 2)]), at: .zero)
                == .complete)
        others.useComplete()
        #expect(others.map(\.isKnown) == [true, true])
    }
}
