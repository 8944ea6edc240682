public import AlertModel

extension WrittenInstant {
    /// The instant meant as the beginning of something, in a zone: a local time that exists twice begins at its first
    /// occurrence, one that does not exist at the first instant after the gap.
    public func moment(beginningIn zone: Zone) -> Moment {
        switch self {
        case .instant(let moment): moment
        case .local(let civil): zone.moment(beginning: civil)
        }
    }

    /// The instant meant as the end of something, in a zone: a local time that exists twice ends at its last
    /// occurrence.
    public func moment(endingIn zone: Zone) -> Moment {
        switch self {
        case .instant(let moment): moment
        case .local(let civil): zone.moment(ending: civil)
        }
    }
}
