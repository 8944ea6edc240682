internal import PluginKit

// A message for many says how each of them is by now. The messages that opened them, each of one incident, are to say so,
// too: nobody who sees a red mark should have to look for the digest that took it back.

extension Turn {
    /// How members of a message for many read by themselves, where it changes how they stand. What is over comes first,
    /// for nothing that is said later would bring its opening up to date.
    func updates(for members: ArraySlice<Member>, in channel: String) -> [Message] {
        let changed = members.filter { member in
            member.standing.announced != nil && member.notification.kind.changesStanding
                && state.outbox.mayUpdateOpening(of: member.notification.incident.id, in: channel)
        }
        let ordered =
            changed.filter { !$0.notification.incident.isOpen } + changed.filter(\.notification.incident.isOpen)
        return ordered.prefix(Delivery.updatesMax).map { update(for: $0, in: channel) }
    }

    /// The same of incidents whose ends the channel did not get.
    func updates(ofEnds incidents: [Incident], in channel: String) -> [Message] {
        let members = incidents.compactMap { incident in
            incident.state.endKind.map { kind in
                Member(
                    notification: Notification(
                        incident: incident, kind: kind, severity: incident.severity, channel: channel),
                    standing: Standing(announced: incident.severity), reason: .resolved)
            }
        }
        return updates(for: members[...], in: channel)
    }

    private func update(for member: Member, in channel: String) -> Message {
        let (incident, writer) = (member.notification.incident, writer)
        var message = writer.message(story(of: incident), member.notification.kind)
        if let correction = correction(of: incident, member.standing) {
            message.fields.append(writer.field(correction))
        }
        message = plan.dressed(message, for: channel)
        // An edit shows no picture.
        message.chart = nil
        return message
    }
}
