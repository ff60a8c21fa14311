import Foundation
import FuzzBodies
import FuzzGuard
import FuzzHeads
import FuzzJournal
import FuzzMemory
import FuzzRecordings
import FuzzSupport
import FuzzTexts
import FuzzWire
import Testing

// One target at a time: the guard's looks at descriptors that have just been closed.
@Suite("The inputs of the fuzzer", .serialized, .timeLimit(.minutes(2)))
struct CorpusTests {
    private static let corpus = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }.appending(path: "Fuzz/Corpus")

    private static let targets =
        FuzzWire.targets + FuzzGuard.targets + FuzzJournal.targets + FuzzMemory.targets
        + FuzzRecordings.targets + FuzzTexts.targets + FuzzBodies.targets + FuzzHeads.targets

    @Test("each decoder keeps its rules for the inputs of its corpus", arguments: targets.map(\.name))
    func corpus(name: String) throws {
        let target = try #require(Self.targets.first { $0.name == name })
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.corpus.appending(path: name), includingPropertiesForKeys: nil)
        #expect(files.count > 3)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            do {
                try target.run(input)
            } catch {
                Issue.record("\(name)/\(file.lastPathComponent): \(error)")
            }
        }
    }
}
