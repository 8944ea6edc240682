"""Runs Google's token server for one service account on loopback until it is ended.

    google_token.py FOLDER PORT

FOLDER has account.json, the account's key file as Google knows it; its token_uri is the audience that is wanted. PyJWT
checks every assertion (RFC 7523), and whoever sent a good one gets a token after a moment: t1, then t2. The others are
refused in Google's words. Every request is a line of JSON in FOLDER/requests.jsonl: what was asked, what was in the
assertion, whether its signature is the account's, and the answer's status.
"""

import http.server
import json
import pathlib
import signal
import sys
import threading
import time
import urllib.parse

import jwt
from cryptography.hazmat.primitives.serialization import load_pem_private_key

FOLDER = pathlib.Path(sys.argv[1])
LOCK = threading.Lock()
GRANT_TYPE = "urn:ietf:params:oauth:grant-type:jwt-bearer"
SCOPES = {f"https://www.googleapis.com/auth/{name}" for name in ("bigquery", "firebase", "playdeveloperreporting")}
# Google's documentation of service accounts: an assertion lasts an hour at most.
ASSERTION_SECONDS_MAX = 3600
# So that others ask meanwhile and have to wait.
PAUSE_SECONDS = 0.3
TIMES = (
    "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
    "Check your iat and exp values in the JWT claim."
)


class Refusal(Exception):
    def __init__(self, code, description):
        super().__init__(description)
        self.answer = {"error": code, "error_description": description}


def check(account, fields, seen):
    """Raises what Google would say against it; what was seen until then is noted."""
    if sorted(name for name, _ in fields) != ["assertion", "grant_type"]:
        raise Refusal("invalid_request", "Bad Request")
    form = dict(fields)
    seen["grant_type"] = form["grant_type"]
    if form["grant_type"] != GRANT_TYPE:
        raise Refusal("unsupported_grant_type", f"Invalid grant_type: {form['grant_type']}")
    try:
        seen["header"] = jwt.get_unverified_header(form["assertion"])
        seen["claims"] = jwt.decode(form["assertion"], options={"verify_signature": False})
    except jwt.InvalidTokenError:
        raise Refusal("invalid_grant", "Bad Request") from None
    if seen["claims"].get("iss") != account["client_email"]:
        raise Refusal("invalid_grant", "Invalid grant: account not found")
    key = load_pem_private_key(account["private_key"].encode(), None).public_key()
    try:
        jwt.PyJWS().decode(form["assertion"], key, algorithms=["RS256"])
        seen["is_signed"] = True
        if seen["header"].get("kid") != account["private_key_id"]:
            raise jwt.InvalidSignatureError
        claims = jwt.decode(
            form["assertion"],
            key,
            algorithms=["RS256"],
            audience=account["token_uri"],
            issuer=account["client_email"],
            options={"require": ["iss", "scope", "aud", "iat", "exp"]},
        )
    except (jwt.InvalidSignatureError, jwt.InvalidAlgorithmError):
        raise Refusal("invalid_grant", "Invalid JWT Signature.") from None
    except jwt.InvalidAudienceError:
        words = f"Invalid JWT: Failed audience check. The right audience is {account['token_uri']}"
        raise Refusal("invalid_grant", words) from None
    except (jwt.ExpiredSignatureError, jwt.ImmatureSignatureError):
        raise Refusal("invalid_grant", TIMES) from None
    except jwt.InvalidTokenError as error:
        raise Refusal("invalid_grant", f"Invalid JWT: {error}") from None
    if claims["exp"] - claims["iat"] > ASSERTION_SECONDS_MAX:
        raise Refusal("invalid_grant", TIMES)
    if not set(claims["scope"].split(" ")) <= SCOPES:
        raise Refusal("invalid_scope", "Invalid OAuth scope or ID token audience provided.")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    given = 0

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        fields = urllib.parse.parse_qsl(body, keep_blank_values=True)
        seen = {
            "method": self.command,
            "path": self.path,
            "type": self.headers.get("Content-Type"),
            "fields": sorted(name for name, _ in fields),
            "is_signed": False,
        }
        account = json.loads((FOLDER / "account.json").read_text())
        try:
            if self.command != "POST" or seen["type"] != "application/x-www-form-urlencoded":
                raise Refusal("invalid_request", "Bad Request")
            check(account, fields, seen)
            with LOCK:
                Handler.given += 1
                status, said = 200, {"access_token": f"t{Handler.given}", "expires_in": 3599, "token_type": "Bearer"}
        except Refusal as refusal:
            status, said = 400, refusal.answer
        with LOCK, open(FOLDER / "requests.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(seen | {"status": status}) + "\n")
        time.sleep(PAUSE_SECONDS)
        text = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = answer
    do_POST = answer

    def log_message(self, *arguments):
        pass


# Whoever starts it may ignore the signal that ends it, and what is started inherits that.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
