// Every plugin that is compiled in, one line each. A new one is a folder under plugins/, its name in Package.swift, and
// a line here.

public import BotConfig
internal import BudgetGate
internal import BugsinkSource
internal import BugsnagSource
internal import ConsoleChannel
internal import CrashlyticsSource
internal import DatadogSource
internal import DependsOnGate
internal import DiscordChannel
internal import DropDetector
internal import EmailChannel
internal import EscalateGate
internal import FileSource
internal import FlappingGate
internal import GlitchTipSource
internal import GoogleChatChannel
internal import GooglePlaySource
internal import GroupGate
internal import HTTPJSONSource
internal import InboxChannel
internal import MatrixChannel
internal import MattermostChannel
internal import MuteGate
internal import NewIssueDetector
internal import NtfyChannel
internal import PagerDutyChannel
internal import PrometheusSource
internal import PushSource
internal import QuietHoursGate
internal import RegressionDetector
internal import ReleaseDetector
internal import RepeatGate
internal import RocketChatChannel
internal import RollbarSource
internal import SentrySource
internal import SimulatorSource
internal import SlackChannel
internal import StaleDetector
internal import TeamsChannel
internal import TelegramChannel
internal import ThresholdDetector
internal import VelocityDetector
internal import WebhookChannel

extension PluginCatalog {
    public static let builtin = PluginCatalog(
        sources: [
            SentrySource.self,
            GlitchTipSource.self,
            BugsinkSource.self,
            RollbarSource.self,
            DatadogSource.self,
            BugsnagSource.self,
            CrashlyticsSource.self,
            GooglePlaySource.self,
            PrometheusSource.self,
            PushSource.self,
            HTTPJSONSource.self,
            FileSource.self,
            SimulatorSource.self,
        ],
        detectors: [
            ThresholdDetector.self,
            DropDetector.self,
            VelocityDetector.self,
            NewIssueDetector.self,
            RegressionDetector.self,
            ReleaseDetector.self,
            StaleDetector.self,
        ],
        gates: [
            MuteGate.self,
            QuietHoursGate.self,
            BudgetGate.self,
            GroupGate.self,
            FlappingGate.self,
            DependsOnGate.self,
            EscalateGate.self,
            RepeatGate.self,
        ],
        channels: [
            SlackChannel.self,
            MatrixChannel.self,
            DiscordChannel.self,
            TeamsChannel.self,
            EmailChannel.self,
            TelegramChannel.self,
            MattermostChannel.self,
            RocketChatChannel.self,
            GoogleChatChannel.self,
            NtfyChannel.self,
            PagerDutyChannel.self,
            WebhookChannel.self,
            InboxChannel.self,
            ConsoleChannel.self,
        ])
}
