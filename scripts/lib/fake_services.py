"""A Sentry and a Prometheus whose one app crashes too often, a Slack and a Matrix that take every message, on one port of this machine.

    python3 scripts/lib/fake_services.py PORT FILE [RATE]

Each message that Slack or Matrix has got is a line of FILE. PORT may be 0, for any that is free; the first line of output names it. RATE is the share of
users without a crash, 0.958 unless said.
"""

import http.server
import json
import sys
import urllib.parse

PORT, KEPT = int(sys.argv[1]), sys.argv[2]
RATE = float(sys.argv[3]) if len(sys.argv) > 3 else 0.958
TOKEN, HOOK = "sntrys_of-the-guide", "/services/T0/B0/of-the-guide"
SESSIONS = 10_000


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
        if path == "/api/v1/query":
            return self.reply(200, self.vector(asked["query"][0], asked.get("time")))
        if path.startswith("/_matrix/"):
            # The one question that the bot asks: whether the room is encrypted.
            return self.reply(404, '{"errcode": "M_NOT_FOUND", "error": "Event not found."}')
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.reply(401, '{"detail": "Invalid token"}')
        match path.removeprefix("/api/0/organizations/shop/"):
            case "projects/":
                self.reply(200, json.dumps([{"id": "1", "slug": "shop-ios", "name": "shop-ios", "platform": "apple-ios", "hasSessions": True}]))
            case "issues/":
                self.reply(200, "[]")
            case "sessions/":
                totals = {"sum(session)": 10_000, "count_unique(user)": 5_000, "crash_free_rate(user)": RATE,
                          "crash_free_rate(session)": 0.97}
                by = {"project": 1} | ({"release": "com.shop.ios@5.2.0+5201"} if "release" in asked.get("groupBy", []) else {})
                group = {"by": by, "totals": {name: totals[name] for name in asked["field"]}}
                self.reply(200, json.dumps({
                    "start": asked["start"][0], "end": asked["end"][0], "query": "", "intervals": [], "groups": [group]}))
            case _:
                self.reply(404, '{"detail": "The requested resource does not exist"}')

    def vector(self, query, time):
        """What PromQL asks for: the crashed ones, or all."""
        value = round(SESSIONS * (1 - RATE)) if "crashed" in query else SESSIONS
        at = float(time[0]) if time else 0
        return json.dumps({"status": "success", "data": {"resultType": "vector", "result": [
            {"metric": {"app": "shop-ios"}, "value": [at, str(value)]}]}})

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if not self.path.startswith("/_matrix/client/v3/rooms/") or self.headers.get("Authorization") != f"Bearer {TOKEN}":
            return self.reply(401, '{"errcode": "M_UNKNOWN_TOKEN", "error": "Unrecognised access token."}')
        with open(KEPT, "a") as kept:
            print(json.dumps(json.loads(body)), file=kept)
        self.reply(200, '{"event_id": "$of-the-guide"}')

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path != HOOK:
            return self.reply(404, "no_service", "text/plain")
        with open(KEPT, "a") as kept:
            print(json.dumps(json.loads(body)), file=kept)
        self.reply(200, "ok", "text/plain")


server = http.server.ThreadingHTTPServer(("127.0.0.1", PORT), Services)
print(server.server_port, flush=True)
server.serve_forever()
