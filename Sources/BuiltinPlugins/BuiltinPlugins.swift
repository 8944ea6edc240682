// Every plugin that is compiled in, one line each. A new one is a folder under plugins/, its name in Package.swift, and
// a line here.

public import BotConfig
internal import BudgetRule
internal import ConsoleChannel
internal import DependsOnRule
internal import DropRule
internal import EscalateRule
internal import FileSource
internal import FlappingRule
internal import GroupRule
internal import HTTPJSONSource
internal import InboxChannel
internal import MatrixChannel
internal import MuteRule
internal import NewIssueRule
internal import PrometheusSource
internal import QuietHoursRule
internal import RegressionRule
internal import ReleaseRule
internal import RepeatRule
internal import SentrySource
internal import SimulatorSource
internal import SlackChannel
internal import StaleRule
internal import ThresholdRule
internal import VelocityRule
internal import WebhookChannel

extension PluginCatalog {
    public static let builtin = PluginCatalog(
        sources: [
            SentrySource.self,
            PrometheusSource.self,
            HTTPJSONSource.self,
            FileSource.self,
            SimulatorSource.self,
        ],
        detectors: [
            ThresholdRule.self,
            DropRule.self,
            VelocityRule.self,
            NewIssueRule.self,
            RegressionRule.self,
            ReleaseRule.self,
            StaleRule.self,
        ],
        gates: [
            MuteRule.self,
            QuietHoursRule.self,
            BudgetRule.self,
            GroupRule.self,
            FlappingRule.self,
            DependsOnRule.self,
            EscalateRule.self,
            RepeatRule.self,
        ],
        channels: [
            SlackChannel.self,
            MatrixChannel.self,
            WebhookChannel.self,
            InboxChannel.self,
            ConsoleChannel.self,
        ])
}
