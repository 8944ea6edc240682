internal import AlertCore
internal import PluginKit

/// The sources of a config. Where the credential of one is refused, its secrets are read anew, before the refusal counts:
/// somebody may have replaced them while the bot runs.
struct PolledSources: Sendable {
    /// What was found for one source.
    struct Renewed: Sendable {
        let name: String
        let made: SourceRenewal.Made
        /// Of which config it is.
        fileprivate let round: Int
    }

    private var sources: [String: any Source]
    private var renewals: [String: SourceRenewal]
    /// Rises with every config.
    private var round: Int

    init(_ setup: Bot.Setup, after before: PolledSources? = nil) {
        sources = setup.sources
        renewals = setup.renewals
        round = before.map { $0.round + 1 } ?? 0
    }

    subscript(_ name: String) -> (any Source)? { sources[name] }

    /// Polls a source with its new secrets from now on, as the account that they are of, and masks them; gives back what is
    /// to be said of it. Nil where another config has come meanwhile.
    mutating func use(_ renewed: Renewed, _ plan: inout Plan, _ redactor: inout Redactor) -> Note? {
        guard renewed.round == round else { return nil }
        plan.renew(renewed.name, host: renewed.made.source.host, account: renewed.made.source.account)
        sources[renewed.name] = renewed.made.source
        renewals[renewed.name]?.use(renewed.made)
        redactor = redactor.masking(renewed.made.secrets)
        return Note(
            .info,
            "source \(renewed.name): its credential was refused; the one in its file now is used from here on")
    }

    /// Polls. Where the credential is refused and another has taken its place by now, the poll is made again with that
    /// one, and only what comes of it counts.
    ///
    /// - Parameter note: takes what was found, before the answer.
    func poll(
        _ order: PollOrder, _ source: any Source, by poller: Poller, note: @Sendable (Renewed) -> Void
    ) async -> Input {
        let input = await poller.poll(order, source)
        guard case .polled(_, let report, _) = input, case .failed(let failure) = report.outcome,
            source.credentialRefusals.contains(failure.reason), let made = renewals[order.source]?.renewed()
        else { return input }
        note(Renewed(name: order.source, made: made, round: round))
        return await poller.masking(made.secrets).poll(order, made.source)
    }
}
