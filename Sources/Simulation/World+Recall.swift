import ControllerCore
import Stepping

/// What a life of the controller reads of its journal while it serves, a segment at a time.
extension World {
    mutating func recallLater(_ place: Int, of number: Int) {
        guard let life = lives[number], place < life.unread.numbers.count else { return }
        let pause = Duration.milliseconds(Int.random(in: 0...300, using: &generator))
        events.set(.recall(life: number, place: place), at: now.monotonic.advanced(by: pause))
    }

    mutating func recall(_ place: Int, of number: Int) {
        guard let life = lives[number] else { return }
        guard life.frozenUntil <= now.monotonic else {
            return events.set(.recall(life: number, place: place), at: life.frozenUntil)
        }
        var ends = JournalReplay()
        for batch in disk.segments[life.unread.numbers[place]]?.batches ?? [] {
            do throws(StorageError) {
                try ends.recall(batch[...], of: life.unread.numbers[place])
            } catch {
                ledger.violate("a batch that cannot be read: \(error)")
            }
        }
        ledger.seen.insert("recall")
        stepController(number, .recalled(ends, unreadUpTo: life.unread.newestID(after: place + 1)))
        recallLater(place + 1, of: number)
    }
}
