"""A Sentry whose one app crashes too often and a Slack that takes every message, on one port of this machine.

    python3 scripts/lib/fake_services.py PORT FILE      each message that Slack has got is a line of FILE
"""

import http.server
import json
import sys
import urllib.parse

PORT, KEPT = int(sys.argv[1]), sys.argv[2]
TOKEN, HOOK = "sntrys_of-the-guide", "/services/T0/B0/of-the-guide"


class Services(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def reply(self, status, body, kind="application/json"):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = urllib.parse.parse_qs(query)
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.reply(401, '{"detail": "Invalid token"}')
        match path.removeprefix("/api/0/organizations/shop/"):
            case "projects/":
                self.reply(200, json.dumps([{"id": "1", "slug": "shop-ios", "name": "shop-ios", "platform": "apple-ios", "hasSessions": True}]))
            case "issues/":
                self.reply(200, "[]")
            case "sessions/":
                totals = {"sum(session)": 10_000, "count_unique(user)": 5_000, "crash_free_rate(user)": 0.958,
                          "crash_free_rate(session)": 0.97}
                by = {"project": 1} | ({"release": "com.shop.ios@5.2.0+5201"} if "release" in asked.get("groupBy", []) else {})
                group = {"by": by, "totals": {name: totals[name] for name in asked["field"]}}
                self.reply(200, json.dumps({
                    "start": asked["start"][0], "end": asked["end"][0], "query": "", "intervals": [], "groups": [group]}))
            case _:
                self.reply(404, '{"detail": "The requested resource does not exist"}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != HOOK:
            return self.reply(404, "no_service", "text/plain")
        with open(KEPT, "a") as kept:
            print(json.dumps(json.loads(body)), file=kept)
        self.reply(200, "ok", "text/plain")


http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Services).serve_forever()
