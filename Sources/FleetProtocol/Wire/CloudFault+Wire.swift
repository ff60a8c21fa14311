import Stepping

extension CloudFault.Kind: WireEnum {}
extension CloudFault.Requests: DefaultedWireEnum {}
extension CloudFault.PodKey: DefaultedWireEnum {}

extension CloudFault: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (kind, requests, key) = (UInt32(0), UInt32(0), UInt32(0))
        var (share, pods, delay) = (0.0, [String](), UInt32(0))
        var (status, times, isKeyMissing) = (UInt32(0), UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&requests)
            case 3: try fields.read(&share)
            case 4: try fields.read(&pods)
            case 5: try fields.read(&delay)
            case 6: try fields.read(&status)
            case 7: try fields.read(&times)
            case 8: try fields.read(&key)
            case 9: try fields.read(&isKeyMissing)
            default: break
            }
        }
        self.init(try Kind(wire: kind, field: "fault.kind", expected: "a fault of the cloud"))
        self.requests = try Requests(wire: requests, field: "fault.requests", expected: "a kind of requests")
        self.key = try PodKey(wire: key, field: "fault.key", expected: "a key of pods")
        self.isKeyMissing = isKeyMissing
        self.times = times == 0 ? nil : times
        self.share = share
        self.pods = pods
        self.status = Int(status)
        self.delay = .milliseconds(Int64(delay))
        try check()
    }

    private func check() throws(WireError) {
        guard share > 0, share <= 1 else { throw .malformed("fault.share", "above 0, up to 1") }
        guard pods.count <= Limits.faultDevices, pods.allSatisfy({ $0.utf8.count <= Limits.nameBytes }) else {
            throw .malformed(
                "fault.pods", "up to \(Limits.faultDevices) of up to \(Limits.nameBytes) bytes each")
        }
        guard delay <= kind.longestDelay ?? .zero else {
            throw .malformed("fault.delay_ms", "no more than the kind allows")
        }
        guard Self.statuses.contains(status) else {
            throw .malformed("fault.status", "401, 403, 429, 500, 502, 503 or 504")
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, kind.wire)
        fields.put(2, requests.wire)
        fields.put(3, share)
        for pod in pods { fields.put(4, element: pod) }
        fields.put(5, UInt32(clamping: delay.wholeMilliseconds))
        fields.put(6, UInt32(clamping: status))
        fields.put(7, times ?? 0)
        fields.put(8, key.wire)
        fields.put(9, isKeyMissing)
    }
}

extension CloudDay.Part: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (fault, from, to) = (FieldReader?.none, UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&fault)
            case 2: try fields.read(&from)
            case 3: try fields.read(&to)
            default: break
            }
        }
        guard let fault else { throw .missing("part.fault") }
        guard max(from, to) < CloudDay.seconds else { throw .malformed("part", "two seconds of a day") }
        self.init(try CloudFault(wire: fault), from: from, to: to)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, fault)
        fields.put(2, from)
        fields.put(3, to)
    }
}

extension CloudDay: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (speed, start, parts) = (0.0, UInt32(0), [Part]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&speed)
            case 2: try fields.read(&start)
            case 3: try fields.read(&parts)
            default: break
            }
        }
        guard CloudDay.speeds.contains(speed) else { throw .malformed("day.speed", "0.1 to 10,000") }
        guard start < CloudDay.seconds else { throw .malformed("day.start", "a second of a day") }
        guard parts.count <= Limits.scenarioCloudFaults else {
            throw .malformed("day.parts", "at most \(Limits.scenarioCloudFaults)")
        }
        self.init(speed: speed, start: start, parts: parts)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, speed)
        fields.put(2, start)
        for part in parts { fields.put(3, part) }
    }
}
