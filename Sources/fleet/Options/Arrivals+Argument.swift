public import ArgumentParser
public import LoadCore

extension Arrivals: ExpressibleByArgument {}
