public import AlertCore
internal import Journal
public import PluginKit

extension Bot {
    /// The bot at one moment. What is read in one step belongs together: between two, another config may come into use.
    public struct Look: Sendable {
        public let now: Moment
        /// Whether the bot is about to end: it polls nothing any more, and takes nothing in.
        public let isStopping: Bool
        public let state: State
        public let plan: Plan
        public let meters: Meters
        /// The channels whose messages never leave the bot.
        public let inboxes: Set<String>
        /// The channels whose messages have arrived without their pictures.
        public let missingPictures: [String: PictureDesk.Missing]
        /// What the journal takes on the disk.
        public let journalBytes: Int
        /// What keeps the journal from being written, if anything does.
        public let journalTrouble: String?
        /// What keeps observations from being recorded, if anything does.
        public let recordingTrouble: String?
        /// What is wrong with the config on the disk, where that is not the one in use.
        public let configTrouble: String?
        /// The last pushes that were refused, by source.
        public let refusedPushes: [String: Intake.Mistaken]
    }

    /// All that is shown of the bot, as it is now.
    public var look: Look {
        Look(
            now: ports.clock.now(), isStopping: isStopping, state: state, plan: plan, meters: meters, inboxes: inboxes,
            missingPictures: pictures.missing, journalBytes: journalBytes, journalTrouble: trouble?.description,
            recordingTrouble: recordingTrouble, configTrouble: configTrouble,
            refusedPushes: refusedPushes)
    }
}
