public import PluginKit

extension MessageTemplate {
    /// The built-in words as a template: what it makes of a message is the message as it was.
    public static func builtIn(in words: Words = .english) -> String {
        """
        {{!
        A message in your own words, in Mustache (mustache.github.io). This is the built-in one: name the file as
        'template:' of a channel or a rule, change what you like, and see it with 'alertbot dry-run'.

        Each part follows its mark; a part that you leave out stays as it is built in. Without any mark, the first
        line is the headline and the rest is the body. Links stay in any case, and so do the top issues unless the body
        names them: with a section 'issues' of 'title', 'detail' and 'url'.

        Besides what is used below, a message has (version \(MessageView.version)):

          version, bot, channel, kind, severity, headline, footer, at, zone
          is_opened, is_escalated, is_reminder, is_revised, is_resolved, is_closed, is_acknowledged, is_digest, is_test
          is_critical, is_warning, is_info
          is_over: all that it is about is over, whatever its kind
          issues: title, detail, url
          links: title, url
          labels: those of the incident, such as labels.owner
          incident: id, rule, source, app, release, environment, issue, severity, state, since, until, metric, figure,
                    limit, usual, sentence; as in incident.app
          incidents: the same of each
        }}
        [headline]
        {{mark}} {{title}}

        [fields]
        {{#fields}}
        {{label}}: {{value}}
        {{/fields}}

        [body]
        {{#lines}}
        • {{.}}
        {{/lines}}
        {{#reason}}
        \(words[.captionWhy]): {{reason}}
        {{/reason}}
        {{#trend}}
        \(words[.captionLastDay]): {{trend}}
        {{/trend}}

        """
    }
}
