internal import PluginKit

// A wall clock that is set. Whatever counts time moves along with it, so that neither a flood nor a silence follows;
// calendars (quiet hours, mutes) do not move, and are asked anew.

extension Turn {
    mutating func moveClock(by step: Duration) {
        // As people set it: the wall's clock and the machine's own are not read in one instant.
        let seconds = Int64(step.inSeconds.rounded())
        let whole = Duration.seconds(seconds)
        output.note(.warning, "the clock was moved by \(seconds) s")
        state.schedule.moveWaits(by: step, plan, at: now)
        for name in state.schedule.sources.keys.sorted() {
            guard var record = state.schedule.sources[name] else { continue }
            record.move(by: step, at: now)
            // A machine that was stopped, and its clock then set, has been away as if it had slept.
            if step > .zero, let source = plan.source(name), state.schedule.catchesUp(name) != nil {
                record.hurry(source, at: now)
            }
            state.schedule.keep(record, of: name, &output)
            state.schedule.requeue(name, plan)
        }
        state.figures.setBack(to: now, &output)
        state.wellSources.forgetAll()
        state.mutes.askForEndsAnew()
        state.outbox.moveClock(by: step, &output)
        let queued = Dictionary(grouping: state.outbox.deliveries.values, by: \.channel).mapValues {
            Set($0.map(\.queued))
        }
        let later = max(now, now - step)
        for old in state.incidents.inOrder {
            let moved = state.incidents.moveClock(
                of: old, by: step, at: now,
                onCallSince: { [plan, now] channel, said in
                    // Should a message that waits be given up, that moment says what it told.
                    if queued[channel]?.contains(said) == true { return nil }
                    // Back over a handover, it is the turn of whoever went off again.
                    return plan.onCallSince(later, channel: channel, for: old)
                        ?? plan.onCallSince(now, channel: channel, for: old)
                }, &output)
            if moved.id != old.id { reschedule(old.id) }
            // What has come in with the news of the clock counts first.
            state.agenda.revisit(moved.id, at: now)
        }
        state.incidents.forgetSightings(&output)
        state.incidents.dropSwings(after: now, &output)
        for channel in plan.channels { dispatch(channel.name) }
        let length = whole < .zero ? .zero - whole : whole
        if length >= Trouble.clockStepMin, reportsClock {
            raiseTrouble(
                .clockStepped, about: Trouble.clock,
                Phrase(whole < .zero ? .troubleClockBack : .troubleClockForward, [.period: .period(length)]))
        }
        // Every source has its chance to be heard again before silence counts.
        state.agenda.set(.housekeeping, now + .hours(1))
    }

    /// Notices a clock that was set back while the bot was down: what it did last lies in the future now. A clock that
    /// was set forward looks like a long sleep, and is treated as one.
    mutating func moveClockIfSetBack() {
        let past =
            state.schedule.sources.values.compactMap(\.lastPolled) + state.outbox.deliveries.values.map(\.queued)
            + state.outbox.tellings.values.compactMap(\.last?.at)
        if let latest = past.max(), latest > now { moveClock(by: now - latest) }
    }
}
