extension Verdict.Kind: WireEnum {}

extension NodeCounters: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (results, time) = ([UInt64](), FieldReader?.none)
        self.init()
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&commands)
            case 2: try fields.read(&results)
            case 3: try fields.read(&time)
            case 4: try fields.read(&publishedRows)
            case 5: try fields.read(&publishedMeasurements)
            case 6: try fields.read(&rememberedEntries)
            case 7: try fields.read(&refusedMessages)
            case 8: try fields.read(&memoryBytes)
            case 9: try fields.read(&longestTurnUs)
            case 10: try fields.read(&timers)
            default: break
            }
        }
        guard results.isEmpty || take(results: results) else {
            throw .malformed("counters.results", "one for each of \(Verdict.Kind.allCases.count) verdicts")
        }
        if let time { commandTime = try DurationCounts(wire: time) }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, commands)
        fields.put(2, column: results.count) { results[$0] }
        fields.put(3, commandTime)
        fields.put(4, publishedRows)
        fields.put(5, publishedMeasurements)
        fields.put(6, rememberedEntries)
        fields.put(7, refusedMessages)
        fields.put(8, memoryBytes)
        fields.put(9, longestTurnUs)
        fields.put(10, timers)
    }
}

extension DurationCounts: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (counts, sumUs) = ([UInt64](), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&counts)
            case 2: try fields.read(&sumUs)
            default: break
            }
        }
        guard let read = DurationCounts(counts: counts, sumUs: sumUs) else {
            let buckets = Self.boundsUs.count + 1
            throw .malformed("counters.command_time", "one count for each of \(buckets) buckets")
        }
        self = read
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, column: counts.count) { counts[$0] }
        fields.put(2, sumUs)
    }
}
