"""Runs a web server with TLS on loopback until it is ended.

    https.py FOLDER PORT [ca.pem]

FOLDER has server-both.pem. With an authority, whoever asks must show a certificate of it. A GET gets what is in
FOLDER/answer.json; every request is a line of JSON in FOLDER/requests.jsonl, with who asked on which connection.
"""

import http.server
import json
import pathlib
import signal
import ssl
import sys
import threading

FOLDER = pathlib.Path(sys.argv[1])
LOCK = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        certificate = self.connection.getpeercert() or {}
        names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
        with LOCK, open(FOLDER / "requests.jsonl", "a", encoding="utf-8") as file:
            request = {"method": self.command, "path": self.path, "who": names, "connection": self.client_address[1]}
            file.write(json.dumps(request) + "\n")
        body = (FOLDER / "answer.json").read_bytes() if self.command == "GET" else b"ok"
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = answer
    do_POST = answer

    def log_message(self, *arguments):
        pass


# Whoever starts it may ignore the signal that ends it, and what is started inherits that.
signal.signal(signal.SIGTERM, signal.SIG_DFL)
signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
context.load_cert_chain(FOLDER / "server-both.pem")
if len(sys.argv) > 3:
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(FOLDER / sys.argv[3])
server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Handler)
# The handshake is for the thread of the connection: one that is refused must not end the server.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(json.dumps({"port": server.server_port}), flush=True)
server.serve_forever()
