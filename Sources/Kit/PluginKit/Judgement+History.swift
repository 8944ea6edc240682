// Figures of long ago are there, and no rule on figures judges them: that none had come would send people looking for them.

extension Judgement {
    /// That all there is of a subject are figures of long ago.
    ///
    /// - Parameters:
    ///   - end: when the newest of them ended.
    ///   - metric: what would be judged.
    ///   - zone: on whose clock `why` says so.
    ///   - now: when that is read.
    public static func history(until end: Moment, of metric: Metric, in zone: Zone, at now: Moment) -> Judgement {
        let sentence =
            "its newest figures ended on \(zone.words(end, readAt: now)): they are history, and no rule on figures "
            + "judges them"
        let evidence = Evidence(
            metric: metric.name, sentence: sentence, phrase: Phrase(.reasonHistory, [.moment: .moment(end)]))
        return Judgement(.unknown(sentence), .far, evidence)
    }
}
