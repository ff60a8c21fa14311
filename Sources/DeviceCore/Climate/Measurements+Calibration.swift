import FleetProtocol

extension Measurements {
    /// What a pod says that adds so much to what its sensors do.
    ///
    /// What would be beyond the bounds of a value is at them. How warm it feels follows from the other two.
    func calibrated(by calibration: SensorCalibration?) -> Measurements {
        guard let calibration else { return self }
        let celsius = Int(deciCelsius) + Int(calibration.deciCelsius)
        let humidity = Int(humidityPermille) + Int(calibration.humidityPermille)
        let deciCelsius = celsius.clamped(to: Self.deciCelsiusBounds)
        let humidityPermille = humidity.clamped(to: Self.humidityPermilleBounds)
        let vapourHPa =
            MoistAir.saturationHPa(celsius: Double(deciCelsius) / 10) * Double(humidityPermille) / 1_000
        let feelsLike = Self.feelsLike(celsius: Double(deciCelsius) / 10, vapourHPa: vapourHPa)
        let measured = Measurements(
            deciCelsius: deciCelsius,
            feelsLikeDeciCelsius: Int16((feelsLike.clamped(to: -99...999) * 10).rounded()),
            humidityPermille: humidityPermille, rssiDBm: rssiDBm)
        guard let measured else { preconditionFailure("each value is within its bounds") }
        return measured
    }
}

extension Int {
    fileprivate func clamped<Bound: FixedWidthInteger>(to bounds: ClosedRange<Bound>) -> Bound {
        Bound(Swift.min(Swift.max(self, Int(bounds.lowerBound)), Int(bounds.upperBound)))
    }
}
