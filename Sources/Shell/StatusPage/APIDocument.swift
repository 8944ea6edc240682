extension APIDesk {
    /// The answers to what changes something.
    ///
    /// - Parameter codes: those with which it is not done, or not saved.
    private static func done(or codes: Int...) -> String {
        ([response(200, "Done")] + codes.map { response($0, "Mistake") }).joined(separator: separator)
    }

    /// How it may be refused to read something.
    private static let unread = [response(400, "Mistake"), response(503, "Busy")].joined(separator: separator)

    private static func response(_ code: Int, _ name: String) -> String {
        ##""\##(code)": {"$ref": "#/components/responses/\##(name)"}"##
    }

    /// Between answers, each on a line of its own in the document.
    private static let separator = ",\n          "

    /// The interface in OpenAPI 3.1: https://spec.openapis.org/oas/v3.1.0
    static let document = """
        {
          "openapi": "3.1.0",
          "info": {
            "title": "alertbot",
            "version": "1",
            "description": "What the commands do with a running bot. Shapes are those of `--format json`; members may be added to them. From the bot's own machine nothing else is needed; from elsewhere, whatever changes something takes `bot.token`, or a proxy that names the user (`bot.user_header`).",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}
          },
          "servers": [{"url": "/api/v1"}],
          "security": [{}, {"token": []}],
          "paths": {
            "/openapi.json": {
              "get": {
                "operationId": "document", "summary": "This document.",
                "responses": {
                  "200": {"$ref": "#/components/responses/Object"}, "400": {"$ref": "#/components/responses/Mistake"}
                }
              }
            },
            "/status": {
              "get": {
                "operationId": "status", "summary": "Sources, incidents, channels, mutes and how each rule judges.",
                "responses": {
                  "200": {
                    "description": "As `alertbot status --format json`.",
                    "content": {"application/json": {"schema": {
                      "type": "object",
                      "required": ["bot", "now", "running", "sources", "incidents", "channels", "mutes", "rules"],
                      "properties": {
                        "bot": {"type": "string"},
                        "now": {"type": "string", "format": "date-time"},
                        "running": {"type": "boolean"},
                        "sources": {"type": "array", "items": {
                          "type": "object", "required": ["name", "state"],
                          "properties": {"name": {"type": "string"}, "state": {"type": "string"}}}},
                        "incidents": {"type": "array", "items": {"$ref": "#/components/schemas/Incident"}},
                        "channels": {"type": "array", "items": {
                          "type": "object", "required": ["name", "queued", "dead"],
                          "properties": {
                            "name": {"type": "string"}, "queued": {"type": "integer"}, "dead": {"type": "integer"}}}},
                        "mutes": {"type": "array", "items": {"$ref": "#/components/schemas/Mute"}},
                        "rules": {"type": "array", "description": "How each rule judges: of more than 500 judgements those that fire first, then those that cannot be judged.", "items": {
                          "type": "object", "required": ["rule", "source", "app", "verdict", "sentence"],
                          "properties": {
                            "rule": {"type": "string"}, "source": {"type": "string"}, "app": {"type": "string"},
                            "verdict": {"type": "string", "enum": ["ok", "firing", "unknown"]}, "sentence": {"type": "string"},
                            "no_news_since": {"type": ["string", "null"], "format": "date-time", "description": "Where the figures are too old to be believed: when they were last known to hold."}}}},
                        "silent_apps": {"type": "array", "description": "Apps that rules judge and of which no figures come any more, though their source answers; at most 500.", "items": {
                          "type": "object", "required": ["source", "app"],
                          "properties": {"source": {"type": "string"}, "app": {"type": "string"}}}},
                        "rules_left_out": {"type": "object", "description": "How many judgements are not in `rules`, by verdict.",
                          "properties": {
                            "firing": {"type": "integer"}, "unknown": {"type": "integer"}, "ok": {"type": "integer"}}},
                        "oncall": {"type": "array", "items": {
                          "type": "object", "required": ["rotation", "person", "until"],
                          "properties": {
                            "rotation": {"type": "string"}, "person": {"type": "string"},
                            "until": {"type": ["string", "null"], "format": "date-time"}}}},
                        "ended_calendars": {"type": "array", "items": {
                          "type": "object", "required": ["rule", "calendar", "why"],
                          "properties": {
                            "rule": {"type": "string"}, "calendar": {"type": "string"}, "why": {"type": "string"}}}},
                        "recording_trouble": {"type": ["string", "null"], "description": "Why observations are not recorded."},
                        "config_trouble": {"type": ["string", "null"], "description": "What is wrong with the config on the disk, if the bot goes on with another."},
                        "journal_trouble": {"type": ["string", "null"], "description": "Why the journal cannot be written; until it can, nothing is sent."}
                      }
                    }}}
                  },
                  \(unread)
                }
              }
            },
            "/incidents": {
              "get": {
                "operationId": "incidents", "summary": "The incidents that are tracked: pending, firing and recovering.",
                "responses": {
                  "200": {
                    "description": "As `alertbot incidents --format json`.",
                    "content": {"application/json": {"schema": {
                      "type": "array", "items": {"$ref": "#/components/schemas/Incident"}}}}
                  },
                  \(unread)
                }
              }
            },
            "/incidents/{id}/acknowledge": {
              "post": {
                "operationId": "acknowledge", "summary": "Acknowledges an incident; a second person is added to the first.",
                "parameters": [{"$ref": "#/components/parameters/ID"}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "additionalProperties": false,
                  "properties": {"by": {"$ref": "#/components/schemas/Name"}}}}}},
                "responses": {
                  \(done(or: 400, 401, 403, 409, 413, 415, 503))
                }
              }
            },
            "/history": {
              "get": {
                "operationId": "history", "summary": "The last deliveries that have ended, newest last.",
                "parameters": [
                  {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}},
                  {"name": "failed", "in": "query", "description": "Only those that failed for good and that the bot has not sent again.",
                   "schema": {"type": "boolean", "default": false}}
                ],
                "responses": {
                  "200": {
                    "description": "As `alertbot history --format json`.",
                    "content": {"application/json": {"schema": {"type": "array", "items": {
                      "type": "object", "required": ["at", "id", "channel", "kind", "outcome", "text"],
                      "properties": {
                        "at": {"type": "string", "format": "date-time"}, "id": {"type": "string"},
                        "channel": {"type": "string"}, "kind": {"type": "string"}, "text": {"type": "string"},
                        "outcome": {"enum": ["delivered", "replaced", "dead"]}}}}}}
                  },
                  \(unread)
                }
              }
            },
            "/deliveries/{id}/retry": {
              "post": {
                "operationId": "retry", "summary": "Retries a delivery that failed for good, under the same id.",
                "parameters": [{"$ref": "#/components/parameters/ID"}],
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "additionalProperties": false}}}},
                "responses": {
                  \(done(or: 400, 401, 403, 409, 413, 415, 503))
                }
              }
            },
            "/mutes": {
              "get": {
                "operationId": "mutes", "summary": "Mutes in force, and those scheduled in the config.",
                "responses": {
                  "200": {
                    "description": "As in `status`.",
                    "content": {"application/json": {"schema": {
                      "type": "array", "items": {"$ref": "#/components/schemas/Mute"}}}}
                  },
                  \(unread)
                }
              },
              "post": {
                "operationId": "mute", "summary": "Mutes what matches from now on.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "additionalProperties": false,
                  "properties": {
                    "match": {"$ref": "#/components/schemas/Match"},
                    "all": {"type": "boolean", "description": "In place of a match: everything."},
                    "for_seconds": {"type": "integer", "minimum": 1, "maximum": 31536000},
                    "until": {"type": "string", "format": "date-time", "description": "In place of for_seconds; at most a year away. 2026-12-24 09:00, without an offset, is accepted too, on the clock of bot.timezone."},
                    "reason": {"type": ["string", "null"], "maxLength": 500},
                    "by": {"$ref": "#/components/schemas/Name"}
                  },
                  "allOf": [
                    {"oneOf": [{"required": ["for_seconds"]}, {"required": ["until"]}]},
                    {"oneOf": [
                      {"required": ["match"], "properties": {"match": {"minProperties": 1}, "all": {"const": false}}},
                      {"required": ["all"], "properties": {"match": {"maxProperties": 0}, "all": {"const": true}}}
                    ]}
                  ]
                }}}},
                "responses": {
                  \(done(or: 400, 401, 403, 409, 413, 415, 503))
                }
              }
            },
            "/mutes/{id}": {
              "delete": {
                "operationId": "unmute", "summary": "Ends a mute before its time.",
                "parameters": [{"$ref": "#/components/parameters/ID"}],
                "responses": {
                  \(done(or: 400, 401, 403, 409, 503))
                }
              }
            },
            "/observations": {
              "post": {
                "operationId": "push", "summary": "Accepts observations for a source of plugin `push`, one a line; the token is that source's own.",
                "security": [{"token": []}],
                "parameters": [
                  {"name": "source", "in": "query", "description": "The source that is meant, if the token alone does not say it; a `source` in the lines is ignored.", "schema": {"type": "string"}}
                ],
                "requestBody": {"required": true, "content": {"application/x-ndjson": {"schema": {"type": "string"}}}},
                "responses": {
                  \(done(or: 400, 401, 404, 413, 429, 503))
                }
              }
            },
            "/why": {
              "get": {
                "operationId": "why", "summary": "Why something was sent, or was not.",
                "parameters": [
                  {"name": "app", "in": "query", "description": "An app or a pattern such as shop-*.",
                   "schema": {"type": "string", "minLength": 1, "maxLength": 200}},
                  {"name": "rule", "in": "query", "description": "A rule or a pattern.",
                   "schema": {"type": "string", "minLength": 1, "maxLength": 200}}
                ],
                "responses": {
                  "200": {
                    "description": "As `alertbot why --format json`.",
                    "content": {"application/json": {"schema": {
                      "type": "object", "required": ["now", "why", "why_left_out"],
                      "properties": {
                        "now": {"type": "string", "format": "date-time"},
                        "why": {"type": "array", "description": "What each rule thinks, and what came or would come of it: of more than 500 judgements those that fire first, then those that cannot be judged.", "items": {
                          "type": "object", "required": ["rule", "source", "app", "verdict"],
                          "properties": {
                            "rule": {"type": "string"}, "source": {"type": "string"}, "app": {"type": "string"},
                            "verdict": {"type": "string", "enum": ["ok", "firing", "unknown"]}}}},
                        "why_left_out": {"type": "object", "description": "How many judgements are not in `why`, by verdict; `app` and `rule` narrow it down.",
                          "properties": {
                            "firing": {"type": "integer"}, "unknown": {"type": "integer"}, "ok": {"type": "integer"}}}
                      }
                    }}}
                  },
                  \(unread)
                }
              }
            },
            "/reload": {
              "post": {
                "operationId": "reload", "summary": "Reloads the config; one with errors never replaces the one in use.",
                "requestBody": {"required": true, "content": {"application/json": {"schema": {
                  "type": "object", "additionalProperties": false}}}},
                "responses": {
                  \(done(or: 400, 401, 403, 409, 413, 415, 503))
                }
              }
            }
          },
          "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "parameters": {
              "ID": {"name": "id", "in": "path", "required": true,
                "schema": {"type": "string", "pattern": "^[0-9a-z_-]{1,40}$"}}
            },
            "schemas": {
              "Name": {"type": ["string", "null"], "maxLength": 80, "description": "The name that a proxy gives takes precedence."},
              "Match": {
                "type": "object",
                "description": "Conditions that all must fit; each has exact values and globs, of which one must.",
                "additionalProperties": false,
                "properties": {
                  "app": {"$ref": "#/components/schemas/Patterns"}, "source": {"$ref": "#/components/schemas/Patterns"},
                  "rule": {"$ref": "#/components/schemas/Patterns"},
                  "severity": {"oneOf": [
                    {"enum": ["info", "warning", "critical"]},
                    {"type": "array", "minItems": 1, "items": {"enum": ["info", "warning", "critical"]}}]},
                  "release": {"$ref": "#/components/schemas/Patterns"},
                  "environment": {"$ref": "#/components/schemas/Patterns"},
                  "issue": {"$ref": "#/components/schemas/Patterns"},
                  "labels": {
                    "type": "object", "minProperties": 1, "description": "By the names of labels.",
                    "additionalProperties": {"$ref": "#/components/schemas/Patterns"}}
                }
              },
              "Patterns": {"oneOf": [
                {"type": "string", "minLength": 1},
                {"type": "array", "minItems": 1, "items": {"type": "string", "minLength": 1}}]},
              "Mute": {
                "type": "object", "required": ["id", "match", "until"],
                "properties": {
                  "id": {"type": "string"}, "match": {"type": "object"},
                  "channels": {"type": "array", "items": {"type": "string"}, "description": "Only in these channels; empty or not there for all."},
                  "except": {"enum": ["info", "warning", "critical", null], "description": "What is as severe passes."},
                  "from": {"type": ["string", "null"], "format": "date-time"},
                  "until": {"type": ["string", "null"], "format": "date-time"},
                  "covers_nothing": {"type": "string", "description": "Why it covers nothing, as when its rule has another name by now; otherwise not there."}
                }
              },
              "Incident": {
                "type": "object", "required": ["id", "rule", "source", "app", "severity", "state", "since"],
                "properties": {
                  "id": {"type": "string"}, "rule": {"type": "string"}, "source": {"type": "string"},
                  "app": {"type": "string"}, "severity": {"enum": ["info", "warning", "critical"]},
                  "state": {"type": "string"}, "since": {"type": "string", "format": "date-time"}
                }
              },
              "Answer": {
                "type": "object", "required": ["done", "sentence"],
                "properties": {
                  "done": {"type": "boolean"}, "sentence": {"type": "string"},
                  "unsaved": {"const": true, "description": "It applies until the bot stops; if requested again, it would be done twice."},
                  "unavailable": {"const": true, "description": "The bot is stopping; the next one may do it."}
                }
              }
            },
            "responses": {
              "Object": {"description": "An object.", "content": {"application/json": {"schema": {"type": "object"}}}},
              "Done": {
                "description": "It is done, and safe in the journal.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
              },
              "Mistake": {
                "description": "It is not done, or not saved, and why.",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
              },
              "Busy": {
                "description": "Too many are reading at once; try again in a few seconds.",
                "headers": {"Retry-After": {"schema": {"type": "integer"}}},
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Answer"}}}
              }
            }
          }
        }
        """
}
