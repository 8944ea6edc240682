// Every plugin that is compiled in, one line each. A new one is a folder under plugins/, its name in Package.swift, and
// a line here.

public import BotConfig
internal import ConsoleChannel
internal import DropRule
internal import FileSource
internal import HTTPJSONSource
internal import InboxChannel
internal import MatrixChannel
internal import MuteRule
internal import PrometheusSource
internal import QuietHoursRule
internal import SentrySource
internal import SimulatorSource
internal import SlackChannel
internal import ThresholdRule
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
        ],
        gates: [
            MuteRule.self,
            QuietHoursRule.self,
        ],
        channels: [
            SlackChannel.self,
            MatrixChannel.self,
            WebhookChannel.self,
            InboxChannel.self,
            ConsoleChannel.self,
        ])
}
