extension ChangeCause: DefaultedWireEnum {
    init(wire number: UInt32) throws(WireError) {
        try self.init(wire: number, field: "cause", expected: "what makes a device change")
    }
}
