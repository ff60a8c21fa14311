/// Which word somebody may have meant.
enum NearestWord {
    /// The first of the words with the fewest letters between it and another; nil when none is near.
    ///
    /// Near means that at most a third of the letters differ.
    static func to(_ word: String, among words: [String]) -> String? {
        // No key is so long; comparing takes the product of both lengths.
        guard word.utf8.count <= 64 else { return nil }
        let nearest = words.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance * 3 <= max(word.utf8.count, 3) else { return nil }
        return nearest.word
    }

    /// How many letters must be put in, taken out or changed (Levenshtein's distance).
    private static func distance(_ first: String, _ second: String) -> Int {
        let second = Array(second.utf8)
        var row = Array(0...second.count)
        for (index, letter) in first.utf8.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for place in second.indices {
                let changed = diagonal + (letter == second[place] ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(changed, diagonal + 1, row[place] + 1)
            }
        }
        return row[second.count]
    }
}
