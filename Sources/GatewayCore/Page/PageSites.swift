public import FleetProtocol

/// Where devices stand, for rows of the page.
public struct PageSites: Sendable {
    private let register: SiteRegister
    private let account: AccountID?

    /// Where nodes say.
    public init() {
        (register, account) = (SiteRegister(), nil)
    }

    /// Where a register says that those of an account do.
    public init(_ register: SiteRegister, of account: AccountID) {
        (self.register, self.account) = (register, account)
    }

    /// What the site of a device is called; empty where nobody said where it is.
    func name(of device: DeviceID, told: String) -> String {
        account.map { register.place(of: device, told: told, in: $0).name } ?? told
    }
}
