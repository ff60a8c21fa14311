extension String {
    /// This text with everything replaced that a terminal could take for a command or that turns the order
    /// of letters around, so that a device's name cannot pass for something else.
    var safeForTerminals: String {
        guard unicodeScalars.contains(where: \.isUnsafeOnTerminals) else { return self }
        return unicodeScalars.reduce(into: "") { safe, scalar in
            safe.unicodeScalars.append(scalar.isUnsafeOnTerminals ? "\u{fffd}" : scalar)
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is a control or formatting character, a line separator, or not yet assigned.
    ///
    /// U+200D, which joins the parts of an emoji, is the only one of these that names have a use for.
    var isUnsafeOnTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: true
        case .format: self != "\u{200d}"
        default: false
        }
    }
}
