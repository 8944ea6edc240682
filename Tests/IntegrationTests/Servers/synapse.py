"""Runs a throw-away Matrix homeserver (Synapse, SQLite, loopback only) until standard input is closed.

    synapse.py FOLDER PORT

Prints one line of JSON when it is ready: a bot and a person with their access tokens, a room that both have joined, a
room of the person alone, where the bot may not write, and one that both have joined and that is encrypted.
"""

import hashlib
import hmac
import json
import os
import pathlib
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request

READY_WITHIN_SECONDS = 90
STOPPED_WITHIN_SECONDS = 15
# Whatever the surroundings say of proxies does not concern loopback.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def config(folder, port, secret):
    unlimited = {"per_second": 10_000, "burst_count": 10_000}
    return {
        "server_name": "test.local",
        "public_baseurl": f"http://127.0.0.1:{port}/",
        "pid_file": str(folder / "pid"),
        "signing_key_path": str(folder / "signing.key"),
        "media_store_path": str(folder / "media"),
        "log_config": str(folder / "log.yaml"),
        "report_stats": False,
        "listeners": [
            {
                "port": port,
                "type": "http",
                "tls": False,
                "bind_addresses": ["127.0.0.1"],
                "resources": [{"names": ["client"], "compress": False}],
            }
        ],
        "database": {"name": "sqlite3", "args": {"database": str(folder / "homeserver.db")}},
        "trusted_key_servers": [],
        "suppress_key_server_warning": True,
        "federation_domain_whitelist": [],
        "presence": {"enabled": False},
        "registration_shared_secret": secret,
        "macaroon_secret_key": secret,
        "form_secret": secret,
        "bcrypt_rounds": 4,
        "rc_message": unlimited,
        "rc_registration": unlimited,
        "rc_login": {"address": unlimited, "account": unlimited, "failed_attempts": unlimited},
        "rc_invites": {"per_room": unlimited, "per_user": unlimited},
        "rc_joins": {"local": unlimited},
        "rc_room_creation": unlimited,
    }


LOG = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "%(levelname)s %(name)s %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stderr"}},
    "root": {"level": "ERROR", "handlers": ["console"]},
}


class Homeserver:
    def __init__(self, folder, port):
        self.base = f"http://127.0.0.1:{port}"
        self.secret = secrets.token_hex(24)
        folder.mkdir(parents=True, exist_ok=True)
        # YAML reads JSON.
        (folder / "homeserver.yaml").write_text(json.dumps(config(folder, port, self.secret)))
        (folder / "log.yaml").write_text(json.dumps(LOG))
        command = [sys.executable, "-m", "synapse.app.homeserver", "-c", str(folder / "homeserver.yaml")]
        subprocess.run([*command, "--generate-keys"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)

    def call(self, method, path, body=None, token=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        request.add_header("Content-Type", "application/json")
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        with OPENER.open(request, timeout=30) as answer:
            return json.load(answer)

    def wait(self):
        end = time.monotonic() + READY_WITHIN_SECONDS
        while True:
            if self.process.poll() is not None:
                sys.exit(f"the homeserver ended with {self.process.returncode}")
            try:
                return self.call("GET", "/_matrix/client/versions")
            except (urllib.error.URLError, OSError):
                if time.monotonic() > end:
                    sys.exit(f"the homeserver was not ready within {READY_WITHIN_SECONDS} s")
                time.sleep(0.1)

    def user(self, name, admin=False):
        nonce = self.call("GET", "/_synapse/admin/v1/register")["nonce"]
        password = secrets.token_hex(12)
        kind = "admin" if admin else "notadmin"
        words = "\0".join([nonce, name, password, kind])
        mac = hmac.new(self.secret.encode(), words.encode(), hashlib.sha1).hexdigest()
        body = {"nonce": nonce, "username": name, "password": password, "admin": admin, "mac": mac}
        answer = self.call("POST", "/_synapse/admin/v1/register", body)
        return {"id": answer["user_id"], "token": answer["access_token"]}

    def room(self, owner, *guests, encrypted=False):
        body = {"preset": "private_chat", "invite": [guest["id"] for guest in guests]}
        if encrypted:
            content = {"algorithm": "m.megolm.v1.aes-sha2"}
            body["initial_state"] = [{"type": "m.room.encryption", "state_key": "", "content": content}]
        room = self.call("POST", "/_matrix/client/v3/createRoom", body, owner["token"])["room_id"]
        for guest in guests:
            self.call("POST", f"/_matrix/client/v3/rooms/{room}/join", {}, guest["token"])
        return room

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(STOPPED_WITHIN_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def main():
    homeserver = Homeserver(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]))
    try:
        homeserver.wait()
        admin = homeserver.user("admin", admin=True)
        person = homeserver.user("person")
        bot = homeserver.user("bot")
        facts = {
            "admin": admin,
            "person": person,
            "bot": bot,
            "room": homeserver.room(person, bot),
            "closed_room": homeserver.room(person),
            "encrypted_room": homeserver.room(person, bot, encrypted=True),
        }
        print(json.dumps(facts), flush=True)
        while os.read(sys.stdin.fileno(), 4096):
            pass
    finally:
        homeserver.stop()


if __name__ == "__main__":
    main()
